CREATE TABLE IF NOT EXISTS chain_b_outcomes
(
    mint String,
    at_ms Int64,
    completed_at_ms Nullable(Int64),
    peak_ret Float64,
    grad_ret Nullable(Float64),
    ret_20m Nullable(Float64),
    rule_ret Float64,
    is_non_standard_curve UInt8,
    exits Array(Tuple(rule String, ret Float64, why String, sec Nullable(Int32))),
    known_at_ms Int64,
    published_at_ms Int64,
    log_partition UInt16,
    log_offset Int64,
    tick_seq Int64,
    withdrawn UInt8
)
ENGINE = MergeTree
PARTITION BY intDiv(at_ms, 2592000000)
ORDER BY (at_ms, mint, log_offset)
SETTINGS non_replicated_deduplication_window = 1000, old_parts_lifetime = 30
