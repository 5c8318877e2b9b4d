-- When the liquidity under a call was pulled, whether its price was asked for, and whether its address is a contract at all.
ALTER TABLE chain_a_calls
    ADD COLUMN IF NOT EXISTS has_code Nullable(UInt8) AFTER is_late,
    ADD COLUMN IF NOT EXISTS anchor_is_asked Nullable(UInt8) AFTER anchor_source,
    ADD COLUMN IF NOT EXISTS rugged_at_ms Nullable(Int64) AFTER dip_before_max
