-- Fills the table with the rows that were written before it existed. A row that is inserted twice changes no answer.
INSERT INTO subject_rows (topic, subject, table_name, at_ms, row_key, details, known_at_ms, published_at_ms, log_partition, log_offset, tick_seq, withdrawn)
SELECT concat(chain, '-derived'), token, 'desk_trades', opened_at_ms,
    concat(toString(opened_at_ms), ' ', token, ' ', lane, ' '),
    if(withdrawn = 1, '', concat('[', toJSONString(chain), ',', toJSONString(token), ',', toJSONString(book), ',', toJSONString(lane), ',', toJSONString(signal_at_ms), ',', toJSONString(opened_at_ms), ',', toJSONString(closed_at_ms), ',', toJSONString(market), ',', toJSONString(ret), ',', toJSONString(peak_ret), ',', toJSONString(exit), ']')),
    known_at_ms, published_at_ms, log_partition, log_offset, tick_seq, withdrawn
FROM desk_trades
UNION ALL
SELECT concat(chain, '-derived'), token, 'desk_shadows', signal_at_ms,
    concat(toString(signal_at_ms), ' ', token, ' ', signal, ' '),
    if(withdrawn = 1, '', concat('[', toJSONString(chain), ',', toJSONString(token), ',', toJSONString(signal_at_ms), ',', toJSONString(signal), ',', toJSONString(anchor_at_ms), ',', toJSONString(market), ',', ifNull(toJSONString(ret_1), 'null'), ',', ifNull(toJSONString(ret_5), 'null'), ',', ifNull(toJSONString(ret_15), 'null'), ',', ifNull(toJSONString(ret_60), 'null'), ',', toJSONString(mfe), ',', toJSONString(mae), ']')),
    known_at_ms, published_at_ms, log_partition, log_offset, tick_seq, withdrawn
FROM desk_shadows
