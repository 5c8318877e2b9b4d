-- What the cards of scanner bots say of a token, of all chains. It takes over the rows of the tables that each chain had.
CREATE OR REPLACE TABLE scanner_grades
(
    chain LowCardinality(String),
    token String,
    graded_since_ms Int64,
    last_card_at_ms Int64,
    grade LowCardinality(String),
    score Float64,
    top_10_pct Nullable(Float64),
    top_holder_1_pct Nullable(Float64),
    snipers Nullable(Int32),
    sniper_pct Nullable(Float64),
    bundlers Nullable(Int32),
    bundle_pct Nullable(Float64),
    dev_left_pct Nullable(Float64),
    fresh_1d Nullable(Float64),
    fresh_7d Nullable(Float64),
    holders Nullable(Int32),
    penalties Array(Tuple(field String, value Float64, limit Float64, points Float64)),
    bots Array(String),
    cards Int32,
    known_at_ms Int64,
    published_at_ms Int64,
    log_partition UInt16,
    log_offset Int64,
    tick_seq Int64,
    withdrawn UInt8
)
ENGINE = MergeTree
PARTITION BY intDiv(known_at_ms, 86400000)
ORDER BY (chain, token, graded_since_ms, log_offset)
SETTINGS non_replicated_deduplication_window = 1000, old_parts_lifetime = 30
AS SELECT if(_table = 'chain_a_scanner_grades', 'chain-a', 'chain-b'), token, graded_since_ms, last_card_at_ms, grade, score, top_10_pct, top_holder_1_pct, snipers, sniper_pct, bundlers, bundle_pct, dev_left_pct, fresh_1d, fresh_7d, holders, penalties, bots, cards, known_at_ms, published_at_ms, log_partition, log_offset, tick_seq, withdrawn
FROM merge(currentDatabase(), '^chain_[ab]_scanner_grades$')
