-- The 60 minutes after a caller's post. Without a return it was not scored: `unscored` says why.
CREATE TABLE IF NOT EXISTS chain_a_call_scores
(
    token String,
    posted_at_ms Int64,
    chat String,
    post Int64,
    chat_name Nullable(String),
    poster String,
    token_count Int32,
    unscored Nullable(String),
    ret_1 Nullable(Float64),
    ret_5 Nullable(Float64),
    ret_15 Nullable(Float64),
    ret_60 Nullable(Float64),
    mfe Nullable(Float64),
    mae Nullable(Float64),
    is_win_35 Nullable(UInt8),
    known_at_ms Int64,
    published_at_ms Int64,
    log_partition UInt16,
    log_offset Int64,
    tick_seq Int64,
    withdrawn UInt8
)
ENGINE = MergeTree
PARTITION BY intDiv(posted_at_ms, 86400000)
ORDER BY (posted_at_ms, token, chat, post, log_offset)
SETTINGS non_replicated_deduplication_window = 1000, old_parts_lifetime = 30
