CREATE TABLE IF NOT EXISTS pools
(
    pool String,
    token String,
    dex LowCardinality(String),
    created_block Int64,
    created_at_ms Int64,
    px Nullable(Float64),
    known_at_ms Int64,
    published_at_ms Int64,
    log_partition UInt16,
    log_offset Int64,
    tick_seq Int64,
    withdrawn UInt8
)
ENGINE = MergeTree
PARTITION BY intDiv(created_at_ms, 86400000)
ORDER BY (created_at_ms, pool, log_offset)
SETTINGS non_replicated_deduplication_window = 1000, old_parts_lifetime = 30
