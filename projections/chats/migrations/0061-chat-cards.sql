-- Posts of scanner bots, and how many of them could not be read.
CREATE TABLE IF NOT EXISTS chat_cards
(
    chat String,
    from_at_ms Int64,
    to_at_ms Int64,
    bots Array(Tuple(bot String, posts Int32, unread Int32)),
    known_at_ms Int64,
    published_at_ms Int64,
    log_partition UInt16,
    log_offset Int64,
    tick_seq Int64,
    withdrawn UInt8
)
ENGINE = MergeTree
PARTITION BY intDiv(from_at_ms, 86400000)
ORDER BY (from_at_ms, chat, log_offset)
SETTINGS non_replicated_deduplication_window = 1000, old_parts_lifetime = 30
