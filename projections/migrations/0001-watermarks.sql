-- How far each partition of a topic has been written: the only record of progress. A batch is announced with its bounds
-- (planned) before its rows go in and confirmed (done) after them, so that a batch cut short is written again as it was.
CREATE TABLE IF NOT EXISTS watermarks
(
    topic LowCardinality(String),
    log_partition UInt16,
    state LowCardinality(String),
    seq Int64,
    known_at_ms Int64,
    next_offset Int64
)
ENGINE = ReplacingMergeTree(seq)
ORDER BY (topic, log_partition, state)
SETTINGS old_parts_lifetime = 30
