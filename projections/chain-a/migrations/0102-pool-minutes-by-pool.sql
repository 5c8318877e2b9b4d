-- The pool leads the key: a question about one pool reads one small range of rows. Small granules, because it needs few rows.
CREATE OR REPLACE TABLE pool_minutes
(
    pool String CODEC(ZSTD(1)),
    minute_at_ms Int64 CODEC(Delta, ZSTD(1)),
    buy_wei Int256 CODEC(ZSTD(1)),
    sell_wei Int256 CODEC(ZSTD(1)),
    buys UInt32 CODEC(ZSTD(1)),
    sells UInt32 CODEC(ZSTD(1)),
    last_px Nullable(Float64) CODEC(ZSTD(1)),
    last_swap_at_ms Nullable(Int64) CODEC(Delta, ZSTD(1)),
    liq_eth Float64 CODEC(ZSTD(1)),
    known_at_ms Int64 CODEC(Delta, ZSTD(1)),
    published_at_ms Int64 CODEC(Delta, ZSTD(1)),
    log_partition UInt16 CODEC(ZSTD(1)),
    log_offset Int64 CODEC(Delta, ZSTD(1)),
    tick_seq Int64 CODEC(Delta, ZSTD(1)),
    withdrawn UInt8
)
ENGINE = MergeTree
PARTITION BY intDiv(minute_at_ms, 86400000)
ORDER BY (pool, minute_at_ms, log_offset)
SETTINGS non_replicated_deduplication_window = 1000, old_parts_lifetime = 30, cleanup_delay_period = 10, cleanup_delay_period_random_add = 0, max_cleanup_delay_period = 10, index_granularity = 1024
AS SELECT pool, minute_at_ms, buy_wei, sell_wei, buys, sells, last_px, last_swap_at_ms, liq_eth, known_at_ms, published_at_ms, log_partition, log_offset, tick_seq, withdrawn
FROM pool_minutes
