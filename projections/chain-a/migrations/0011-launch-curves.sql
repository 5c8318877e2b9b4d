-- A token's bonding curve, as of read_block. launched_at_ms is 0 where the curve is older than the log and its launch unknown.
CREATE TABLE IF NOT EXISTS launch_curves
(
    token String,
    curve String,
    launched_at_ms Int64,
    launchpad LowCardinality(String),
    completed UInt8,
    symbol Nullable(String),
    creator Nullable(String),
    launch_block Nullable(Int64),
    grad_block Nullable(Int64),
    graduation_wei Int256,
    reserve_wei Int256,
    phantom_wei Int256,
    supply_raw Int256,
    fee_bps Nullable(Int32),
    read_block Int64,
    read_at_ms Int64,
    known_at_ms Int64,
    published_at_ms Int64,
    log_partition UInt16,
    log_offset Int64,
    tick_seq Int64,
    withdrawn UInt8
)
ENGINE = MergeTree
PARTITION BY intDiv(known_at_ms, 86400000)
ORDER BY (token, curve, launched_at_ms, log_offset)
SETTINGS non_replicated_deduplication_window = 1000, old_parts_lifetime = 30
