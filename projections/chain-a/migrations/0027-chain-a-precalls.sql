-- What happened before a call was posted.
CREATE TABLE IF NOT EXISTS chain_a_precalls
(
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
ORDER BY (token, posted_at_ms, log_offset)
SETTINGS non_replicated_deduplication_window = 1000, old_parts_lifetime = 30
