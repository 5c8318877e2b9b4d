-- The parts are compact: all columns are in one file, because a question reads a few rows of each part.
CREATE TABLE IF NOT EXISTS subject_rows
(
    topic LowCardinality(String),
    subject String CODEC(ZSTD(1)),
    table_name LowCardinality(String),
    at_ms Int64 CODEC(Delta, ZSTD(1)),
    row_key String CODEC(ZSTD(1)),
    details String CODEC(ZSTD(1)),
    known_at_ms Int64 CODEC(Delta, ZSTD(1)),
    published_at_ms Int64 CODEC(Delta, ZSTD(1)),
    log_partition UInt16 CODEC(ZSTD(1)),
    log_offset Int64 CODEC(Delta, ZSTD(1)),
    tick_seq Int64 CODEC(Delta, ZSTD(1)),
    withdrawn UInt8
)
ENGINE = MergeTree
PARTITION BY intDiv(known_at_ms, 2592000000)
ORDER BY (topic, subject, table_name, at_ms, row_key, log_offset)
SETTINGS non_replicated_deduplication_window = 1000, old_parts_lifetime = 30, cleanup_delay_period = 10, cleanup_delay_period_random_add = 0, max_cleanup_delay_period = 10, index_granularity = 128, min_bytes_for_wide_part = 1000000000000, min_rows_for_wide_part = 1000000000000
