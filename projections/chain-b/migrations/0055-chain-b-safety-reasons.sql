-- Why the provider of rug checks was asked, and whether it lists a pool: before, it was asked at bursts only.
ALTER TABLE chain_b_safety
    ADD COLUMN IF NOT EXISTS reason LowCardinality(String) DEFAULT 'burst' AFTER fails,
    ADD COLUMN IF NOT EXISTS has_pool Nullable(UInt8) AFTER reason
