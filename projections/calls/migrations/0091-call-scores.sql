-- What the hour after each post brought, of all chains. It takes over the rows of the tables that each chain had.
CREATE OR REPLACE TABLE call_scores
(
    chain LowCardinality(String),
    token String,
    posted_at_ms Int64,
    chat String,
    post Int64,
    chat_name Nullable(String),
    poster String,
    token_count Int32,
    unscored Nullable(String),
    anchor_at_ms Nullable(Int64),
    ret_1 Nullable(Float64),
    ret_5 Nullable(Float64),
    ret_15 Nullable(Float64),
    ret_60 Nullable(Float64),
    mfe Nullable(Float64),
    mae Nullable(Float64),
    is_win_35 Nullable(UInt8),
    rugged_at_ms Nullable(Int64),
    is_asked UInt8,
    known_at_ms Int64,
    published_at_ms Int64,
    log_partition UInt16,
    log_offset Int64,
    tick_seq Int64,
    withdrawn UInt8
)
ENGINE = MergeTree
PARTITION BY intDiv(posted_at_ms, 86400000)
ORDER BY (chain, posted_at_ms, token, chat, post, log_offset)
SETTINGS non_replicated_deduplication_window = 1000, old_parts_lifetime = 30
AS SELECT if(_table = 'chain_a_call_scores', 'chain-a', 'chain-b'), token, posted_at_ms, chat, post, chat_name, poster, token_count, unscored, anchor_at_ms, ret_1, ret_5, ret_15, ret_60, mfe, mae, is_win_35, rugged_at_ms, is_asked, known_at_ms, published_at_ms, log_partition, log_offset, tick_seq, withdrawn
FROM merge(currentDatabase(), '^chain_[ab]_call_scores$')
