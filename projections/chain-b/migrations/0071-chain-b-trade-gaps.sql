-- Trades of a curve that are missing in the log. Null: not known.
CREATE TABLE IF NOT EXISTS chain_b_trade_gaps
(
    token String,
    market String,
    at_ms Int64,
    place String,
    from_at_ms Int64,
    to_at_ms Int64,
    trades Nullable(Int32),
    volume_raw Nullable(Int256),
    state LowCardinality(String),
    known_at_ms Int64,
    published_at_ms Int64,
    log_partition UInt16,
    log_offset Int64,
    tick_seq Int64,
    withdrawn UInt8
)
ENGINE = MergeTree
PARTITION BY intDiv(at_ms, 86400000)
ORDER BY (token, at_ms, market, place, log_offset)
SETTINGS non_replicated_deduplication_window = 1000, old_parts_lifetime = 30
