-- Mints, wallets and hashes are base58.
CREATE TABLE IF NOT EXISTS chain_b_bursts
(
    mint String,
    at_ms Int64,
    slot Int64,
    slot_hash String,
    inflow_lamports Int256,
    window_sec UInt32,
    fill_from Float64,
    fill_at Float64,
    launch_at_ms Int64,
    virtual_sol Float64,
    supersedes_at_ms Nullable(Int64),
    known_at_ms Int64,
    published_at_ms Int64,
    log_partition UInt16,
    log_offset Int64,
    tick_seq Int64,
    withdrawn UInt8
)
ENGINE = MergeTree
PARTITION BY intDiv(at_ms, 2592000000)
ORDER BY (at_ms, mint, log_offset)
SETTINGS non_replicated_deduplication_window = 1000, old_parts_lifetime = 30
