-- The shares of holders are null where the lookup failed.
CREATE TABLE IF NOT EXISTS chain_b_anatomies
(
    mint String,
    at_ms Int64,
    buys UInt32,
    wallets Array(String),
    same_slot_max UInt32,
    bundled_share Float64,
    same_size_max UInt32,
    top3_share Float64,
    holders_top10 Nullable(Float64),
    holder_top1 Nullable(Float64),
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
