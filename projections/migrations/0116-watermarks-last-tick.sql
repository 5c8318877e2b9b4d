-- The last tick of the batch, as a JSON object of the values of its row. With it, a cut at the time of this tick needs no
-- other query.
ALTER TABLE watermarks ADD COLUMN IF NOT EXISTS last_tick String
