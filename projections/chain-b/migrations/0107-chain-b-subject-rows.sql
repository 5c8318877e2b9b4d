-- Fills the table with the rows that were written before it existed. A row that is inserted twice changes no answer.
INSERT INTO subject_rows (topic, subject, table_name, at_ms, row_key, details, known_at_ms, published_at_ms, log_partition, log_offset, tick_seq, withdrawn)
SELECT 'chain-b-derived', mint, 'chain_b_bursts', at_ms,
    concat(toString(at_ms), ' ', mint, ' '),
    if(withdrawn = 1, '', concat('[', toJSONString(mint), ',', toJSONString(at_ms), ',', toJSONString(slot), ',', toJSONString(slot_hash), ',', toJSONString(toString(inflow_lamports)), ',', toJSONString(window_sec), ',', toJSONString(fill_from), ',', toJSONString(fill_at), ',', toJSONString(launch_at_ms), ',', toJSONString(virtual_sol), ',', ifNull(toJSONString(supersedes_at_ms), 'null'), ']')),
    known_at_ms, published_at_ms, log_partition, log_offset, tick_seq, withdrawn
FROM chain_b_bursts
UNION ALL
SELECT 'chain-b-derived', mint, 'chain_b_anatomies', at_ms,
    concat(toString(at_ms), ' ', mint, ' '),
    if(withdrawn = 1, '', concat('[', toJSONString(mint), ',', toJSONString(at_ms), ',', toJSONString(buys), ',', toJSONString(wallets), ',', toJSONString(same_slot_max), ',', toJSONString(bundled_share), ',', toJSONString(same_size_max), ',', toJSONString(top3_share), ',', ifNull(toJSONString(holders_top10), 'null'), ',', ifNull(toJSONString(holder_top1), 'null'), ']')),
    known_at_ms, published_at_ms, log_partition, log_offset, tick_seq, withdrawn
FROM chain_b_anatomies
UNION ALL
SELECT 'chain-b-derived', mint, 'chain_b_graduations', grad_at_ms,
    concat(toString(grad_at_ms), ' ', mint, ' '),
    if(withdrawn = 1, '', concat('[', toJSONString(mint), ',', toJSONString(grad_at_ms), ',', toJSONString(slot), ',', ifNull(toJSONString(launch_at_ms), 'null'), ',', toJSONString(path), ',', ifNull(toJSONString(burst_at_ms), 'null'), ',', ifNull(toJSONString(toString(burst_inflow_lamports)), 'null'), ',', ifNull(toJSONString(burst_fill_at), 'null'), ',', ifNull(toJSONString(supersedes_at_ms), 'null'), ']')),
    known_at_ms, published_at_ms, log_partition, log_offset, tick_seq, withdrawn
FROM chain_b_graduations
UNION ALL
SELECT 'chain-b-derived', mint, 'chain_b_safety', checked_at_ms,
    concat(mint, ' ', toString(checked_at_ms), ' ', reason, ' '),
    if(withdrawn = 1, '', concat('[', toJSONString(mint), ',', toJSONString(checked_at_ms), ',', toJSONString(provider), ',', ifNull(toJSONString(score), 'null'), ',', ifNull(toJSONString(is_rugged), 'null'), ',', ifNull(toJSONString(mint_authority), 'null'), ',', ifNull(toJSONString(freeze_authority), 'null'), ',', ifNull(toJSONString(lp_locked_share), 'null'), ',', ifNull(toJSONString(top_holder_share), 'null'), ',', toJSONString(fails), ',', toJSONString(reason), ',', ifNull(toJSONString(has_pool), 'null'), ']')),
    known_at_ms, published_at_ms, log_partition, log_offset, tick_seq, withdrawn
FROM chain_b_safety
