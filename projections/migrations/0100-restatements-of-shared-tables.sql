-- Marks name the tables that took over these rows. The names begin with the chain.
ALTER TABLE restatements UPDATE table_name = replaceRegexpOne(table_name, '^chain_[ab]_', '')
WHERE table_name IN ('chain_a_calls', 'chain_b_calls', 'chain_a_call_scores', 'chain_b_call_scores', 'chain_a_scanner_grades', 'chain_b_scanner_grades', 'chain_a_precalls', 'chain_a_precall_buyers', 'chain_a_desk_opens', 'chain_b_desk_opens', 'chain_a_desk_trades', 'chain_b_desk_trades', 'chain_a_desk_twins', 'chain_b_desk_twins', 'chain_a_desk_shadows', 'chain_b_desk_shadows', 'chain_a_trade_gaps', 'chain_b_trade_gaps')
SETTINGS mutations_sync = 2
