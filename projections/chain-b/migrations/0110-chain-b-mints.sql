CREATE TABLE IF NOT EXISTS chain_b_mints
(
    mint String CODEC(ZSTD(1)),
    opened_at_ms Int64 CODEC(Delta, ZSTD(1)),
    launch_at_ms Nullable(Int64) CODEC(Delta, ZSTD(1)),
    curve String CODEC(ZSTD(1)),
    launch_slot Nullable(Int64) CODEC(Delta, ZSTD(1)),
    launcher Nullable(String) CODEC(ZSTD(1)),
    creator Nullable(String) CODEC(ZSTD(1)),
    name Nullable(String) CODEC(ZSTD(1)),
    symbol Nullable(String) CODEC(ZSTD(1)),
    quote_mint Nullable(String) CODEC(ZSTD(1)),
    is_mayhem UInt8,
    known_at_ms Int64 CODEC(Delta, ZSTD(1)),
    published_at_ms Int64 CODEC(Delta, ZSTD(1)),
    log_partition UInt16 CODEC(ZSTD(1)),
    log_offset Int64 CODEC(Delta, ZSTD(1)),
    tick_seq Int64 CODEC(Delta, ZSTD(1)),
    withdrawn UInt8
)
ENGINE = MergeTree
PARTITION BY intDiv(opened_at_ms, 86400000)
ORDER BY (mint, opened_at_ms, log_offset)
SETTINGS non_replicated_deduplication_window = 1000, old_parts_lifetime = 30, cleanup_delay_period = 10, cleanup_delay_period_random_add = 0, max_cleanup_delay_period = 10
