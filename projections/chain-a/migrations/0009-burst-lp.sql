-- Who held the liquidity at the signal, as shares of L.
CREATE TABLE IF NOT EXISTS burst_lp
(
    pool String,
    tier LowCardinality(String),
    at_ms Int64,
    class LowCardinality(String),
    insider_share Float64,
    burned_share Float64,
    contract_share Float64,
    other_share Float64,
    unknown_share Float64,
    first_add_at_ms Nullable(Int64),
    lp_adds UInt32,
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
