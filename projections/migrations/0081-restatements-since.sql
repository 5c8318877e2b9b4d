-- Marks that were projected before this table was there are not in it: a row without a table tells, for each topic, up to when.
INSERT INTO restatements SELECT topic, '', '', '', '', '', max(known_at_ms), max(known_at_ms), 0, 0, 0, 0 FROM ticks
WHERE topic NOT IN (SELECT topic FROM restatements WHERE table_name = '') GROUP BY topic
