-- When the liquidity under a scored post was pulled, and whether it was measured from prices that were asked for.
ALTER TABLE chain_b_call_scores
    ADD COLUMN IF NOT EXISTS rugged_at_ms Nullable(Int64) AFTER is_win_35,
    ADD COLUMN IF NOT EXISTS is_asked UInt8 AFTER rugged_at_ms
