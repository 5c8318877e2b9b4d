CREATE TABLE IF NOT EXISTS burst_outcomes
(
    pool String,
    tier LowCardinality(String),
    at_ms Int64,
    ret_30m Float64,
    peak_ret Float64,
    rule_ret Float64,
    exits Array(Tuple(rule String, ret Float64, why String, sec Nullable(Int32))),
    rug_at_sec Nullable(Int32),
    rug_lp_removed Nullable(Float64),
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
