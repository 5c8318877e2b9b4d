-- What happened before a call. It takes over the rows of the tables that each chain had.
CREATE OR REPLACE TABLE precalls
(
    chain LowCardinality(String),
    token String,
    posted_at_ms Int64,
    is_tracked UInt8,
    buys Int32,
    buy_wei Int256,
    same_block_max_tx Int32,
    run_60 Nullable(Float64),
    age_at_call_ms Nullable(Int64),
    chg_1h0 Nullable(Float64),
    flags Array(String),
    known_at_ms Int64,
    published_at_ms Int64,
    log_partition UInt16,
    log_offset Int64,
    tick_seq Int64,
    withdrawn UInt8
)
ENGINE = MergeTree
PARTITION BY intDiv(posted_at_ms, 86400000)
ORDER BY (chain, token, posted_at_ms, log_offset)
SETTINGS non_replicated_deduplication_window = 1000, old_parts_lifetime = 30
AS SELECT 'chain-a', token, posted_at_ms, is_tracked, buys, buy_wei, same_block_max_tx, run_60, age_at_call_ms, chg_1h0, flags, known_at_ms, published_at_ms, log_partition, log_offset, tick_seq, withdrawn
FROM chain_a_precalls
