-- All columns of a part are in one file, as in the table of followed buys.
ALTER TABLE chain_b_copy_results MODIFY SETTING min_bytes_for_wide_part = 1000000000000, min_rows_for_wide_part = 1000000000000
