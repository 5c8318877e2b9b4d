-- One row for each mark that a reorg left: which row of which table it changed, moved or took back (withdrawn).
CREATE TABLE IF NOT EXISTS restatements
(
    topic LowCardinality(String),
    record_type LowCardinality(String),
    table_name LowCardinality(String),
    token String,
    row_key String,
    former_key String,
    known_at_ms Int64,
    published_at_ms Int64,
    log_partition UInt16,
    log_offset Int64,
    tick_seq Int64,
    withdrawn UInt8
)
ENGINE = MergeTree
PARTITION BY intDiv(known_at_ms, 86400000)
ORDER BY (known_at_ms, topic, log_partition, log_offset)
SETTINGS non_replicated_deduplication_window = 1000, old_parts_lifetime = 30
