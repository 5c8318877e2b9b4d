/** How far each partition of each topic is in the tables: the only record of progress. One row for each partition and state. */
export const watermarkTable = 'watermarks'
export const watermarkColumns = ['topic', 'log_partition', 'state', 'seq', 'known_at_ms', 'next_offset'] as const
