-- One row for each tick of a topic: what was known of the chain and of prices, and when. Ticks are the same in every
-- partition; the rows are those of the first.
CREATE TABLE IF NOT EXISTS ticks
(
    topic LowCardinality(String),
    block_number Int64,
    block_hash String,
    block_at_ms Int64,
    eth_usd Nullable(Float64),
    eth_usd_at_ms Nullable(Int64),
    rules_version LowCardinality(String),
    source LowCardinality(String),
    known_at_ms Int64,
    published_at_ms Int64,
    log_partition UInt16,
    log_offset Int64,
    tick_seq Int64,
    withdrawn UInt8
)
ENGINE = MergeTree
PARTITION BY intDiv(known_at_ms, 86400000)
ORDER BY (topic, known_at_ms, tick_seq)
SETTINGS non_replicated_deduplication_window = 1000, old_parts_lifetime = 30
