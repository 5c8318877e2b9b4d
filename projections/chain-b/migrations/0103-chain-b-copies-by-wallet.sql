-- The wallet leads the key: a question about one wallet reads one small range of rows. Small granules, because it needs few rows. Weekly
-- partitions, because the window is two weeks and each partition costs time.
CREATE OR REPLACE TABLE chain_b_copies
(
    mint String,
    at_ms Int64,
    tx_hash String,
    log_index Int32,
    slot Int64,
    wallet String,
    lamports Int256,
    fill_at Float64,
    launch_at_ms Nullable(Int64),
    px Float64,
    supersedes_at_ms Nullable(Int64),
    known_at_ms Int64,
    published_at_ms Int64,
    log_partition UInt16,
    log_offset Int64,
    tick_seq Int64,
    withdrawn UInt8,
    INDEX by_mint mint TYPE bloom_filter GRANULARITY 1
)
ENGINE = MergeTree
PARTITION BY intDiv(at_ms, 604800000)
ORDER BY (wallet, at_ms, mint, tx_hash, log_index, log_offset)
SETTINGS non_replicated_deduplication_window = 1000, old_parts_lifetime = 30, cleanup_delay_period = 10, cleanup_delay_period_random_add = 0, max_cleanup_delay_period = 10, index_granularity = 1024
AS SELECT mint, at_ms, tx_hash, log_index, slot, wallet, lamports, fill_at, launch_at_ms, px, supersedes_at_ms, known_at_ms, published_at_ms, log_partition, log_offset, tick_seq, withdrawn
FROM chain_b_copies
