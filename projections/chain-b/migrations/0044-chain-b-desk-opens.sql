-- Positions that the paper desk took, known at their fills.
CREATE TABLE IF NOT EXISTS chain_b_desk_opens
(
    token String,
    book LowCardinality(String),
    lane LowCardinality(String),
    signal_at_ms Int64,
    opened_at_ms Int64,
    market String,
    known_at_ms Int64,
    published_at_ms Int64,
    log_partition UInt16,
    log_offset Int64,
    tick_seq Int64,
    withdrawn UInt8
)
ENGINE = MergeTree
PARTITION BY intDiv(opened_at_ms, 2592000000)
ORDER BY (opened_at_ms, token, lane, log_offset)
SETTINGS non_replicated_deduplication_window = 1000, old_parts_lifetime = 30
