-- Since when a post is scored: the hour after it can be compared with what is missing. Null in rows of before.
ALTER TABLE chain_b_call_scores ADD COLUMN IF NOT EXISTS anchor_at_ms Nullable(Int64) AFTER unscored
