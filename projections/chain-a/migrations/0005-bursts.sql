CREATE TABLE IF NOT EXISTS bursts
(
    token String,
    pool String,
    tier LowCardinality(String),
    at_ms Int64,
    dex LowCardinality(String),
    block_number Int64,
    block_hash String,
    shape LowCardinality(String),
    inflow_wei Int256,
    buys UInt32,
    sells UInt32,
    window_sec UInt32,
    pool_created_at_ms Int64,
    same_size_max UInt32,
    top3_share Float64,
    size_cv Float64,
    px Float64,
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
