-- A pool is profiled some forty times, mostly with the same answer: little is left of that but the times and the offsets.
ALTER TABLE pool_profiles
    MODIFY COLUMN checked_at_ms CODEC(Delta, ZSTD(1)),
    MODIFY COLUMN block_number CODEC(Delta, ZSTD(1)),
    MODIFY COLUMN known_at_ms CODEC(Delta, ZSTD(1)),
    MODIFY COLUMN published_at_ms CODEC(Delta, ZSTD(1)),
    MODIFY COLUMN log_offset CODEC(Delta, ZSTD(1)),
    MODIFY COLUMN tick_seq CODEC(Delta, ZSTD(1))
