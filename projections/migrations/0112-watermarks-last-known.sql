-- For each table of the stage, the time at which the newest row version of the partition became known.
ALTER TABLE watermarks ADD COLUMN IF NOT EXISTS last_known Map(LowCardinality(String), Int64)
