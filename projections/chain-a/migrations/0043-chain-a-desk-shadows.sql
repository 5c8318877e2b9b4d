-- What became of the signals of the paper desk within an hour, traded or not.
CREATE TABLE IF NOT EXISTS chain_a_desk_shadows
(
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
ORDER BY (signal_at_ms, token, signal, log_offset)
SETTINGS non_replicated_deduplication_window = 1000, old_parts_lifetime = 30
