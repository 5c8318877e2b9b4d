-- The trades of each mint by minute. The mint leads the key: a question about one mint reads one small range of rows.
CREATE TABLE IF NOT EXISTS chain_b_minutes
(
    mint String CODEC(ZSTD(1)),
    minute_at_ms Int64 CODEC(Delta, ZSTD(1)),
    buy_lamports Int256 CODEC(ZSTD(1)),
    sell_lamports Int256 CODEC(ZSTD(1)),
    buys UInt32 CODEC(ZSTD(1)),
    sells UInt32 CODEC(ZSTD(1)),
    last_px Float64 CODEC(ZSTD(1)),
    fill Nullable(Float64) CODEC(ZSTD(1)),
    known_at_ms Int64 CODEC(Delta, ZSTD(1)),
    published_at_ms Int64 CODEC(Delta, ZSTD(1)),
    log_partition UInt16 CODEC(ZSTD(1)),
    log_offset Int64 CODEC(Delta, ZSTD(1)),
    tick_seq Int64 CODEC(Delta, ZSTD(1)),
    withdrawn UInt8
)
ENGINE = MergeTree
PARTITION BY intDiv(minute_at_ms, 86400000)
ORDER BY (mint, minute_at_ms, log_offset)
SETTINGS non_replicated_deduplication_window = 1000, old_parts_lifetime = 30, cleanup_delay_period = 10, cleanup_delay_period_random_add = 0, max_cleanup_delay_period = 10, index_granularity = 1024
