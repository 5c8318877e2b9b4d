CREATE TABLE IF NOT EXISTS chain_b_graduations
(
    mint String,
    grad_at_ms Int64,
    slot Int64,
    launch_at_ms Nullable(Int64),
    path Array(Tuple(beforeSec Int32, fill Float64)),
    burst_at_ms Nullable(Int64),
    burst_inflow_lamports Nullable(Int256),
    burst_fill_at Nullable(Float64),
    supersedes_at_ms Nullable(Int64),
    known_at_ms Int64,
    published_at_ms Int64,
    log_partition UInt16,
    log_offset Int64,
    tick_seq Int64,
    withdrawn UInt8
)
ENGINE = MergeTree
PARTITION BY intDiv(grad_at_ms, 86400000)
ORDER BY (grad_at_ms, mint, log_offset)
SETTINGS non_replicated_deduplication_window = 1000, old_parts_lifetime = 30
