-- All columns of a part are in one file, because a question reads a few rows of each part. Parts that are there change when they are merged.
-- No question is about one mint any more.
ALTER TABLE chain_b_copies DROP INDEX IF EXISTS by_mint, MODIFY SETTING min_bytes_for_wide_part = 1000000000000, min_rows_for_wide_part = 1000000000000
