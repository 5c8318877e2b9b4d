-- What became of a copied buy in the hour after it. No fill, return or exit: there was no copy.
CREATE TABLE IF NOT EXISTS chain_b_copy_results
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
    withdrawn UInt8,
    INDEX by_wallet wallet TYPE bloom_filter GRANULARITY 1
)
ENGINE = MergeTree
PARTITION BY intDiv(at_ms, 86400000)
ORDER BY (at_ms, mint, tx_hash, log_index, log_offset)
SETTINGS non_replicated_deduplication_window = 1000, old_parts_lifetime = 30
