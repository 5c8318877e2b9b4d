-- Random entries with the exit of a lane, of all chains. It takes over the rows of the tables that each chain had.
CREATE OR REPLACE TABLE desk_twins
(
    chain LowCardinality(String),
    token String,
    lane LowCardinality(String),
    opened_at_ms Int64,
    closed_at_ms Int64,
    market String,
    ret Float64,
    peak_ret Float64,
    exit LowCardinality(String),
    known_at_ms Int64,
    published_at_ms Int64,
    log_partition UInt16,
    log_offset Int64,
    tick_seq Int64,
    withdrawn UInt8
)
ENGINE = MergeTree
PARTITION BY intDiv(opened_at_ms, 2592000000)
ORDER BY (chain, opened_at_ms, token, lane, log_offset)
SETTINGS non_replicated_deduplication_window = 1000, old_parts_lifetime = 30
AS SELECT if(_table = 'chain_a_desk_twins', 'chain-a', 'chain-b'), token, lane, opened_at_ms, closed_at_ms, market, ret, peak_ret, exit, known_at_ms, published_at_ms, log_partition, log_offset, tick_seq, withdrawn
FROM merge(currentDatabase(), '^chain_[ab]_desk_twins$')
