-- The wallet leads the key, as in the table of followed buys.
CREATE OR REPLACE TABLE chain_b_copy_results
(
    mint String,
    at_ms Int64,
    tx_hash String,
    log_index Int32,
    wallet String,
    is_hit UInt8,
    path Array(Float64),
    sale_after_sec Nullable(Int32),
    sale_share Nullable(Float64),
    sale_gain Nullable(Float64),
    quote_drift Nullable(Float64),
    fill_slip Nullable(Float64),
    ret Nullable(Float64),
    exit Nullable(String),
    exit_sec Nullable(Int32),
    known_at_ms Int64,
    published_at_ms Int64,
    log_partition UInt16,
    log_offset Int64,
    tick_seq Int64,
    withdrawn UInt8
)
ENGINE = MergeTree
PARTITION BY intDiv(at_ms, 604800000)
ORDER BY (wallet, at_ms, mint, tx_hash, log_index, log_offset)
SETTINGS non_replicated_deduplication_window = 1000, old_parts_lifetime = 30, cleanup_delay_period = 10, cleanup_delay_period_random_add = 0, max_cleanup_delay_period = 10, index_granularity = 1024
AS SELECT mint, at_ms, tx_hash, log_index, wallet, is_hit, path, sale_after_sec, sale_share, sale_gain, quote_drift, fill_slip, ret, exit, exit_sec, known_at_ms, published_at_ms, log_partition, log_offset, tick_seq, withdrawn
FROM chain_b_copy_results
