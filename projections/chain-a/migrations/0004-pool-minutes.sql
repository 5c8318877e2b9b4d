-- The hour leads the key: a question about one pool reads a few granules of each hour, one about one hour only that hour.
CREATE TABLE IF NOT EXISTS pool_minutes
(
    pool String,
    minute_at_ms Int64,
    buy_wei Int256,
    sell_wei Int256,
    buys UInt32,
    sells UInt32,
    last_px Nullable(Float64),
    last_swap_at_ms Nullable(Int64),
    liq_eth Float64,
    known_at_ms Int64,
    published_at_ms Int64,
    log_partition UInt16,
    log_offset Int64,
    tick_seq Int64,
    withdrawn UInt8
)
ENGINE = MergeTree
PARTITION BY intDiv(minute_at_ms, 86400000)
ORDER BY (intDiv(minute_at_ms, 3600000), pool, minute_at_ms, log_offset)
SETTINGS non_replicated_deduplication_window = 1000, old_parts_lifetime = 30
