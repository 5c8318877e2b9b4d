-- Trades that are missing in the log, of all chains. It takes over the rows of the tables that each chain had.
CREATE OR REPLACE TABLE trade_gaps
(
    chain LowCardinality(String),
    token String,
    market String,
    at_ms Int64,
    place String,
    from_at_ms Int64,
    to_at_ms Int64,
    trades Nullable(Int32),
    volume_raw Nullable(Int256),
    state LowCardinality(String),
    known_at_ms Int64,
    published_at_ms Int64,
    log_partition UInt16,
    log_offset Int64,
    tick_seq Int64,
    withdrawn UInt8
)
ENGINE = MergeTree
PARTITION BY intDiv(at_ms, 86400000)
ORDER BY (chain, token, at_ms, market, place, log_offset)
SETTINGS non_replicated_deduplication_window = 1000, old_parts_lifetime = 30
AS SELECT if(_table = 'chain_a_trade_gaps', 'chain-a', 'chain-b'), token, market, at_ms, place, from_at_ms, to_at_ms, trades, volume_raw, state, known_at_ms, published_at_ms, log_partition, log_offset, tick_seq, withdrawn
FROM merge(currentDatabase(), '^chain_[ab]_trade_gaps$')
