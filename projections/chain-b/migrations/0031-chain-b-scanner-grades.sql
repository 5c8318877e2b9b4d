-- What cards of scanner bots say of a token. A row lives on as long as cards come: partitions are of the knowledge time.
CREATE TABLE IF NOT EXISTS chain_b_scanner_grades
(
    token String,
    graded_since_ms Int64,
    last_card_at_ms Int64,
    grade LowCardinality(String),
    score Float64,
    top_10_pct Nullable(Float64),
    top_holder_1_pct Nullable(Float64),
    snipers Nullable(Int32),
    sniper_pct Nullable(Float64),
    bundlers Nullable(Int32),
    bundle_pct Nullable(Float64),
    dev_left_pct Nullable(Float64),
    fresh_1d Nullable(Float64),
    fresh_7d Nullable(Float64),
    holders Nullable(Int32),
    penalties Array(Tuple(field String, value Float64, limit Float64, points Float64)),
    bots Array(String),
    cards Int32,
    known_at_ms Int64,
    published_at_ms Int64,
    log_partition UInt16,
    log_offset Int64,
    tick_seq Int64,
    withdrawn UInt8
)
ENGINE = MergeTree
PARTITION BY intDiv(known_at_ms, 86400000)
ORDER BY (token, graded_since_ms, log_offset)
SETTINGS non_replicated_deduplication_window = 1000, old_parts_lifetime = 30
