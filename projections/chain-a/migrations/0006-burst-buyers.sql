-- is_known = 0: the lookup of the senders failed for good.
CREATE TABLE IF NOT EXISTS burst_buyers
(
    pool String,
    tier LowCardinality(String),
    at_ms Int64,
    is_known UInt8,
    wallets Array(String),
    known_at_ms Int64,
    published_at_ms Int64,
    log_partition UInt16,
    log_offset Int64,
    tick_seq Int64,
    withdrawn UInt8
)
ENGINE = MergeTree
PARTITION BY intDiv(at_ms, 2592000000)
ORDER BY (at_ms, pool, tier, log_offset)
SETTINGS non_replicated_deduplication_window = 1000, old_parts_lifetime = 30
