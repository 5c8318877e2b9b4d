CREATE TABLE IF NOT EXISTS second_rushes
(
    mint String,
    at_ms Int64,
    slot Int64,
    creator String,
    lamports Int256,
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
ORDER BY (mint, at_ms, log_offset)
SETTINGS non_replicated_deduplication_window = 1000, old_parts_lifetime = 30
