-- Who can pull a pool's liquidity, as of checked_at_ms. Asked for by token; a day of creations is some ten thousand pools.
CREATE TABLE IF NOT EXISTS pool_profiles
(
    token String,
    pool String,
    created_at_ms Int64,
    checked_at_ms Int64,
    block_number Int64,
    creator Nullable(String),
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
PARTITION BY intDiv(created_at_ms, 86400000)
ORDER BY (token, created_at_ms, pool, log_offset)
SETTINGS non_replicated_deduplication_window = 1000, old_parts_lifetime = 30
