-- Calls of tokens in followed chats, of all chains: a version for each post, sample and burst. It takes over the rows of the tables that each chain had.
CREATE OR REPLACE TABLE calls
(
    chain LowCardinality(String),
    token String,
    called_at_ms Int64,
    first_seen_at_ms Int64,
    is_late UInt8,
    has_code Nullable(UInt8),
    chats Array(Tuple(chat String, chatName Nullable(String), firstAtMs Int64, posts Int32, posters Array(String))),
    recalls Int32,
    anchor_at_ms Nullable(Int64),
    anchor_px Nullable(Float64),
    anchor_mcap_usd Nullable(Float64),
    anchor_mcap_coin Nullable(Float64),
    anchor_source Nullable(String),
    anchor_is_asked Nullable(UInt8),
    stage Nullable(String),
    triggered Nullable(String),
    last_sample_at_ms Nullable(Int64),
    last_ret Nullable(Float64),
    ret_1h Nullable(Float64),
    ret_4h Nullable(Float64),
    ret_12h Nullable(Float64),
    ret_24h Nullable(Float64),
    ret_48h Nullable(Float64),
    max_ret Nullable(Float64),
    max_at_ms Nullable(Int64),
    dip_before_max Nullable(Float64),
    rugged_at_ms Nullable(Int64),
    is_dead UInt8,
    is_done UInt8,
    known_at_ms Int64,
    published_at_ms Int64,
    log_partition UInt16,
    log_offset Int64,
    tick_seq Int64,
    withdrawn UInt8
)
ENGINE = MergeTree
PARTITION BY intDiv(called_at_ms, 86400000)
ORDER BY (chain, called_at_ms, token, log_offset)
SETTINGS non_replicated_deduplication_window = 1000, old_parts_lifetime = 30
AS SELECT if(_table = 'chain_a_calls', 'chain-a', 'chain-b'), token, called_at_ms, first_seen_at_ms, is_late, has_code, chats, recalls, anchor_at_ms, anchor_px, anchor_mcap_usd, anchor_mcap_coin, anchor_source, anchor_is_asked, stage, triggered, last_sample_at_ms, last_ret, ret_1h, ret_4h, ret_12h, ret_24h, ret_48h, max_ret, max_at_ms, dip_before_max, rugged_at_ms, is_dead, is_done, known_at_ms, published_at_ms, log_partition, log_offset, tick_seq, withdrawn
FROM merge(currentDatabase(), '^chain_[ab]_calls$')
