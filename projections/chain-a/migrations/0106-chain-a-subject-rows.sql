-- Fills the table with the rows that were written before it existed. A row that is inserted twice changes no answer.
INSERT INTO subject_rows (topic, subject, table_name, at_ms, row_key, details, known_at_ms, published_at_ms, log_partition, log_offset, tick_seq, withdrawn)
SELECT 'chain-a-derived', token, 'pools', created_at_ms,
    concat(toString(created_at_ms), ' ', pool, ' '),
    if(withdrawn = 1, '', concat('[', toJSONString(pool), ',', toJSONString(token), ',', toJSONString(dex), ',', toJSONString(created_block), ',', toJSONString(created_at_ms), ',', ifNull(toJSONString(px), 'null'), ']')),
    known_at_ms, published_at_ms, log_partition, log_offset, tick_seq, withdrawn
FROM pools
UNION ALL
SELECT 'chain-a-derived', pool, 'pools', created_at_ms,
    concat(toString(created_at_ms), ' ', pool, ' '),
    if(withdrawn = 1, '', concat('[', toJSONString(pool), ',', toJSONString(token), ',', toJSONString(dex), ',', toJSONString(created_block), ',', toJSONString(created_at_ms), ',', ifNull(toJSONString(px), 'null'), ']')),
    known_at_ms, published_at_ms, log_partition, log_offset, tick_seq, withdrawn
FROM pools
UNION ALL
SELECT 'chain-a-derived', token, 'bursts', at_ms,
    concat(toString(at_ms), ' ', pool, ' ', tier, ' '),
    if(withdrawn = 1, '', concat('[', toJSONString(token), ',', toJSONString(pool), ',', toJSONString(tier), ',', toJSONString(at_ms), ',', toJSONString(dex), ',', toJSONString(block_number), ',', toJSONString(block_hash), ',', toJSONString(shape), ',', toJSONString(toString(inflow_wei)), ',', toJSONString(buys), ',', toJSONString(sells), ',', toJSONString(window_sec), ',', toJSONString(pool_created_at_ms), ',', toJSONString(same_size_max), ',', toJSONString(top3_share), ',', toJSONString(size_cv), ',', toJSONString(px), ',', ifNull(toJSONString(supersedes_at_ms), 'null'), ']')),
    known_at_ms, published_at_ms, log_partition, log_offset, tick_seq, withdrawn
FROM bursts
UNION ALL
SELECT 'chain-a-derived', pool, 'bursts', at_ms,
    concat(toString(at_ms), ' ', pool, ' ', tier, ' '),
    if(withdrawn = 1, '', concat('[', toJSONString(token), ',', toJSONString(pool), ',', toJSONString(tier), ',', toJSONString(at_ms), ',', toJSONString(dex), ',', toJSONString(block_number), ',', toJSONString(block_hash), ',', toJSONString(shape), ',', toJSONString(toString(inflow_wei)), ',', toJSONString(buys), ',', toJSONString(sells), ',', toJSONString(window_sec), ',', toJSONString(pool_created_at_ms), ',', toJSONString(same_size_max), ',', toJSONString(top3_share), ',', toJSONString(size_cv), ',', toJSONString(px), ',', ifNull(toJSONString(supersedes_at_ms), 'null'), ']')),
    known_at_ms, published_at_ms, log_partition, log_offset, tick_seq, withdrawn
FROM bursts
UNION ALL
SELECT 'chain-a-derived', pool, 'burst_buyers', at_ms,
    concat(toString(at_ms), ' ', pool, ' ', tier, ' '),
    if(withdrawn = 1, '', concat('[', toJSONString(pool), ',', toJSONString(tier), ',', toJSONString(at_ms), ',', toJSONString(is_known), ',', toJSONString(wallets), ']')),
    known_at_ms, published_at_ms, log_partition, log_offset, tick_seq, withdrawn
FROM burst_buyers
UNION ALL
SELECT 'chain-a-derived', pool, 'burst_lp', at_ms,
    concat(toString(at_ms), ' ', pool, ' ', tier, ' '),
    if(withdrawn = 1, '', concat('[', toJSONString(pool), ',', toJSONString(tier), ',', toJSONString(at_ms), ',', toJSONString(class), ',', toJSONString(insider_share), ',', toJSONString(burned_share), ',', toJSONString(contract_share), ',', toJSONString(other_share), ',', toJSONString(unknown_share), ',', ifNull(toJSONString(first_add_at_ms), 'null'), ',', toJSONString(lp_adds), ']')),
    known_at_ms, published_at_ms, log_partition, log_offset, tick_seq, withdrawn
FROM burst_lp
UNION ALL
SELECT 'chain-a-derived', token, 'pool_profiles', created_at_ms,
    concat(token, ' ', toString(created_at_ms), ' ', pool, ' '),
    if(withdrawn = 1, '', concat('[', toJSONString(token), ',', toJSONString(pool), ',', toJSONString(created_at_ms), ',', toJSONString(checked_at_ms), ',', toJSONString(block_number), ',', ifNull(toJSONString(creator), 'null'), ',', toJSONString(class), ',', toJSONString(insider_share), ',', toJSONString(burned_share), ',', toJSONString(contract_share), ',', toJSONString(other_share), ',', toJSONString(unknown_share), ',', ifNull(toJSONString(first_add_at_ms), 'null'), ',', toJSONString(lp_adds), ']')),
    known_at_ms, published_at_ms, log_partition, log_offset, tick_seq, withdrawn
FROM pool_profiles
UNION ALL
SELECT 'chain-a-derived', token, 'launch_curves', launched_at_ms,
    concat(token, ' ', curve, ' ', toString(launched_at_ms), ' '),
    if(withdrawn = 1, '', concat('[', toJSONString(token), ',', toJSONString(curve), ',', toJSONString(launched_at_ms), ',', toJSONString(launchpad), ',', toJSONString(completed), ',', ifNull(toJSONString(symbol), 'null'), ',', ifNull(toJSONString(creator), 'null'), ',', ifNull(toJSONString(launch_block), 'null'), ',', ifNull(toJSONString(grad_block), 'null'), ',', toJSONString(toString(graduation_wei)), ',', toJSONString(toString(reserve_wei)), ',', toJSONString(toString(phantom_wei)), ',', toJSONString(toString(supply_raw)), ',', ifNull(toJSONString(fee_bps), 'null'), ',', toJSONString(read_block), ',', toJSONString(read_at_ms), ']')),
    known_at_ms, published_at_ms, log_partition, log_offset, tick_seq, withdrawn
FROM launch_curves
UNION ALL
SELECT 'chain-a-derived', pool, 'burst_outcomes', at_ms,
    concat(toString(at_ms), ' ', pool, ' ', tier, ' '),
    if(withdrawn = 1, '', concat('[', toJSONString(pool), ',', toJSONString(tier), ',', toJSONString(at_ms), ',', toJSONString(ret_30m), ',', toJSONString(peak_ret), ',', toJSONString(rule_ret), ',', toJSONString(exits), ',', ifNull(toJSONString(rug_at_sec), 'null'), ',', ifNull(toJSONString(rug_lp_removed), 'null'), ']')),
    known_at_ms, published_at_ms, log_partition, log_offset, tick_seq, withdrawn
FROM burst_outcomes
UNION ALL
SELECT concat(chain, '-derived'), token, 'precalls', posted_at_ms,
    concat(token, ' ', toString(posted_at_ms), ' '),
    if(withdrawn = 1, '', concat('[', toJSONString(chain), ',', toJSONString(token), ',', toJSONString(posted_at_ms), ',', toJSONString(is_tracked), ',', toJSONString(buys), ',', toJSONString(toString(buy_wei)), ',', toJSONString(same_block_max_tx), ',', ifNull(toJSONString(run_60), 'null'), ',', ifNull(toJSONString(age_at_call_ms), 'null'), ',', ifNull(toJSONString(chg_1h0), 'null'), ',', toJSONString(flags), ']')),
    known_at_ms, published_at_ms, log_partition, log_offset, tick_seq, withdrawn
FROM precalls
UNION ALL
SELECT concat(chain, '-derived'), token, 'precall_buyers', posted_at_ms,
    concat(token, ' ', toString(posted_at_ms), ' '),
    if(withdrawn = 1, '', concat('[', toJSONString(chain), ',', toJSONString(token), ',', toJSONString(posted_at_ms), ',', ifNull(toJSONString(wallets), 'null'), ',', ifNull(toJSONString(same_block_wallets), 'null'), ',', toJSONString(wallet_list), ',', toJSONString(flags), ']')),
    known_at_ms, published_at_ms, log_partition, log_offset, tick_seq, withdrawn
FROM precall_buyers
