-- The list of leaders as it was rebuilt at each whole hour, the best first. The hour is the knowledge time.
CREATE TABLE IF NOT EXISTS chain_b_leader_lists
(
    block_at_ms Int64,
    prior Float64,
    replays Int64,
    leaders Array(Tuple(wallet String, n Int32, evShrunk Float64, evRaw Float64, winShare Float64, shadowed Int32,
        shadowHit Float64, lastBuyAtMs Int64, sold Int32, medSoldSec Nullable(Float64), medSellGain Nullable(Float64),
        soldWithin60s Int32)),
    known_at_ms Int64,
    published_at_ms Int64,
    log_partition UInt16,
    log_offset Int64,
    tick_seq Int64,
    withdrawn UInt8
)
ENGINE = MergeTree
PARTITION BY intDiv(known_at_ms, 2592000000)
ORDER BY known_at_ms
SETTINGS non_replicated_deduplication_window = 1000, old_parts_lifetime = 30
