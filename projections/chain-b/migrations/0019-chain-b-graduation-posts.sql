CREATE TABLE IF NOT EXISTS chain_b_graduation_posts
(
    mint String,
    grad_at_ms Int64,
    anchor_at_ms Int64,
    ret_1 Nullable(Float64),
    ret_5 Nullable(Float64),
    ret_15 Nullable(Float64),
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
