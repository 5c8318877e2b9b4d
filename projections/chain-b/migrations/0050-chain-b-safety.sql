-- What the provider of rug checks said of a mint, once for each of its bursts. Authorities are base58, null if nobody has them.
CREATE TABLE IF NOT EXISTS chain_b_safety
(
    mint String,
    checked_at_ms Int64,
    provider LowCardinality(String),
    score Nullable(Float64),
    is_rugged Nullable(UInt8),
    mint_authority Nullable(String),
    freeze_authority Nullable(String),
    lp_locked_share Nullable(Float64),
    top_holder_share Nullable(Float64),
    fails Array(String),
    known_at_ms Int64,
    published_at_ms Int64,
    log_partition UInt16,
    log_offset Int64,
    tick_seq Int64,
    withdrawn UInt8
)
ENGINE = MergeTree
PARTITION BY intDiv(checked_at_ms, 86400000)
ORDER BY (mint, checked_at_ms, log_offset)
SETTINGS non_replicated_deduplication_window = 1000, old_parts_lifetime = 30
