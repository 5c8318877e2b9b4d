-- The wallets that bought before a call. It takes over the rows of the tables that each chain had.
CREATE OR REPLACE TABLE precall_buyers
(
    chain LowCardinality(String),
    token String,
    posted_at_ms Int64,
    wallets Nullable(Int32),
    same_block_wallets Nullable(Int32),
    wallet_list Array(String),
    flags Array(String),
    known_at_ms Int64,
    published_at_ms Int64,
    log_partition UInt16,
    log_offset Int64,
    tick_seq Int64,
    withdrawn UInt8
)
ENGINE = MergeTree
PARTITION BY intDiv(posted_at_ms, 86400000)
ORDER BY (chain, token, posted_at_ms, log_offset)
SETTINGS non_replicated_deduplication_window = 1000, old_parts_lifetime = 30
AS SELECT 'chain-a', token, posted_at_ms, wallets, same_block_wallets, wallet_list, flags, known_at_ms, published_at_ms, log_partition, log_offset, tick_seq, withdrawn
FROM chain_a_precall_buyers
