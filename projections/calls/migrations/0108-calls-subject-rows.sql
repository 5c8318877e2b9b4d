-- Fills the table with the rows that were written before it existed. A row that is inserted twice changes no answer.
INSERT INTO subject_rows (topic, subject, table_name, at_ms, row_key, details, known_at_ms, published_at_ms, log_partition, log_offset, tick_seq, withdrawn)
SELECT concat(chain, '-derived'), token, 'calls', called_at_ms,
    concat(toString(called_at_ms), ' ', token, ' '),
    if(withdrawn = 1, '', concat('[', toJSONString(chain), ',', toJSONString(token), ',', toJSONString(called_at_ms), ',', toJSONString(first_seen_at_ms), ',', toJSONString(is_late), ',', ifNull(toJSONString(has_code), 'null'), ',', toJSONString(chats), ',', toJSONString(recalls), ',', ifNull(toJSONString(anchor_at_ms), 'null'), ',', ifNull(toJSONString(anchor_px), 'null'), ',', ifNull(toJSONString(anchor_mcap_usd), 'null'), ',', ifNull(toJSONString(anchor_mcap_coin), 'null'), ',', ifNull(toJSONString(anchor_source), 'null'), ',', ifNull(toJSONString(anchor_is_asked), 'null'), ',', ifNull(toJSONString(stage), 'null'), ',', ifNull(toJSONString(triggered), 'null'), ',', ifNull(toJSONString(last_sample_at_ms), 'null'), ',', ifNull(toJSONString(last_ret), 'null'), ',', ifNull(toJSONString(ret_1h), 'null'), ',', ifNull(toJSONString(ret_4h), 'null'), ',', ifNull(toJSONString(ret_12h), 'null'), ',', ifNull(toJSONString(ret_24h), 'null'), ',', ifNull(toJSONString(ret_48h), 'null'), ',', ifNull(toJSONString(max_ret), 'null'), ',', ifNull(toJSONString(max_at_ms), 'null'), ',', ifNull(toJSONString(dip_before_max), 'null'), ',', ifNull(toJSONString(rugged_at_ms), 'null'), ',', toJSONString(is_dead), ',', toJSONString(is_done), ']')),
    known_at_ms, published_at_ms, log_partition, log_offset, tick_seq, withdrawn
FROM calls
UNION ALL
SELECT concat(chain, '-derived'), token, 'scanner_grades', graded_since_ms,
    concat(token, ' ', toString(graded_since_ms), ' '),
    if(withdrawn = 1, '', concat('[', toJSONString(chain), ',', toJSONString(token), ',', toJSONString(graded_since_ms), ',', toJSONString(last_card_at_ms), ',', toJSONString(grade), ',', toJSONString(score), ',', ifNull(toJSONString(top_10_pct), 'null'), ',', ifNull(toJSONString(top_holder_1_pct), 'null'), ',', ifNull(toJSONString(snipers), 'null'), ',', ifNull(toJSONString(sniper_pct), 'null'), ',', ifNull(toJSONString(bundlers), 'null'), ',', ifNull(toJSONString(bundle_pct), 'null'), ',', ifNull(toJSONString(dev_left_pct), 'null'), ',', ifNull(toJSONString(fresh_1d), 'null'), ',', ifNull(toJSONString(fresh_7d), 'null'), ',', ifNull(toJSONString(holders), 'null'), ',', toJSONString(penalties), ',', toJSONString(bots), ',', toJSONString(cards), ']')),
    known_at_ms, published_at_ms, log_partition, log_offset, tick_seq, withdrawn
FROM scanner_grades
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
