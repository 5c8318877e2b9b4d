-- Minutes are most of the tables; so they take half of the disk. What is merged from now on is written like this.
ALTER TABLE pool_minutes
    MODIFY COLUMN pool CODEC(ZSTD(1)),
    MODIFY COLUMN minute_at_ms CODEC(Delta, ZSTD(1)),
    MODIFY COLUMN buy_wei CODEC(ZSTD(1)),
    MODIFY COLUMN sell_wei CODEC(ZSTD(1)),
    MODIFY COLUMN buys CODEC(ZSTD(1)),
    MODIFY COLUMN sells CODEC(ZSTD(1)),
    MODIFY COLUMN last_px CODEC(ZSTD(1)),
    MODIFY COLUMN last_swap_at_ms CODEC(Delta, ZSTD(1)),
    MODIFY COLUMN liq_eth CODEC(ZSTD(1)),
    MODIFY COLUMN known_at_ms CODEC(Delta, ZSTD(1)),
    MODIFY COLUMN published_at_ms CODEC(Delta, ZSTD(1)),
    MODIFY COLUMN log_partition CODEC(ZSTD(1)),
    MODIFY COLUMN log_offset CODEC(Delta, ZSTD(1)),
    MODIFY COLUMN tick_seq CODEC(Delta, ZSTD(1))
