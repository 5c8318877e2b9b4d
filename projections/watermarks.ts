/**
 * The progress of each partition of each topic in the tables, one row for each partition and state. There is no other record of
 * progress.
 */
export const watermarkTable = 'watermarks'
export const watermarkColumns = ['topic', 'log_partition', 'state', 'seq', 'known_at_ms', 'next_offset'] as const
