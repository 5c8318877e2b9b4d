CREATE TABLE IF NOT EXISTS toy_visits
(
    place String,
    at_ms Int64,
    guests Nullable(Int256),
    is_open UInt8,
    supersedes_at_ms Nullable(Int64),
    known_at_ms Int64,
    published_at_ms Int64,
    log_partition UInt16,
    log_offset Int64,
    tick_seq Int64,
    withdrawn UInt8
)
ENGINE = MergeTree
PARTITION BY intDiv(at_ms, 86400000)
ORDER BY (place, at_ms, log_offset)
SETTINGS non_replicated_deduplication_window = 1000
