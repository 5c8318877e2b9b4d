-- What became of a signal within an hour, of all chains. It takes over the rows of the tables that each chain had.
CREATE OR REPLACE TABLE desk_shadows
(
    chain LowCardinality(String),
    token String,
    signal_at_ms Int64,
    signal LowCardinality(String),
    anchor_at_ms Int64,
    market String,
    ret_1 Nullable(Float64),
    ret_5 Nullable(Float64),
    ret_15 Nullable(Float64),
    ret_60 Nullable(Float64),
    mfe Float64,
    mae Float64,
    known_at_ms Int64,
    published_at_ms Int64,
    log_partition UInt16,
    log_offset Int64,
    tick_seq Int64,
    withdrawn UInt8
)
ENGINE = MergeTree
PARTITION BY intDiv(signal_at_ms, 2592000000)
ORDER BY (chain, signal_at_ms, token, signal, log_offset)
SETTINGS non_replicated_deduplication_window = 1000, old_parts_lifetime = 30
AS SELECT if(_table = 'chain_a_desk_shadows', 'chain-a', 'chain-b'), token, signal_at_ms, signal, anchor_at_ms, market, ret_1, ret_5, ret_15, ret_60, mfe, mae, known_at_ms, published_at_ms, log_partition, log_offset, tick_seq, withdrawn
FROM merge(currentDatabase(), '^chain_[ab]_desk_shadows$')
