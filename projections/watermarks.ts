/**
 * The table with the progress of the sink, with one row per partition and state. The sink stores its progress
 * only in this table.
 */
export const watermarkTable = 'watermarks'
export const watermarkColumns = ['topic', 'log_partition', 'state', 'seq', 'known_at_ms', 'next_offset'] as const
