-- Buys that others can copy, one row for each. Rows are found by their instant; the indexes lead from a wallet or a mint there.
CREATE TABLE IF NOT EXISTS chain_b_copies
(
    mint String,
    at_ms Int64,
    tx_hash String,
    log_index Int32,
    slot Int64,
    wallet String,
    lamports Int256,
    fill_at Float64,
    launch_at_ms Nullable(Int64),
    px Float64,
    supersedes_at_ms Nullable(Int64),
    known_at_ms Int64,
    published_at_ms Int64,
    log_partition UInt16,
    log_offset Int64,
    tick_seq Int64,
    withdrawn UInt8,
    INDEX by_wallet wallet TYPE bloom_filter GRANULARITY 1,
    INDEX by_mint mint TYPE bloom_filter GRANULARITY 1
)
ENGINE = MergeTree
PARTITION BY intDiv(at_ms, 86400000)
ORDER BY (at_ms, mint, tx_hash, log_index, log_offset)
SETTINGS non_replicated_deduplication_window = 1000, old_parts_lifetime = 30
