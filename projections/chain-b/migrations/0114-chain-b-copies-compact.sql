-- All columns of a part are in one file, because a question reads a few rows of each part. Parts that are there change when they are merged.
ALTER TABLE chain_b_copies MODIFY SETTING min_bytes_for_wide_part = 1000000000000, min_rows_for_wide_part = 1000000000000
