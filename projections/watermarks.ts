/**
 * The table that stores how far the log has been written to the other tables. It has one row per partition
 * and state.
 */
export const watermarkTable = 'watermarks'
export const watermarkColumns = ['topic', 'log_partition', 'state', 'seq', 'known_at_ms', 'next_offset'] as const
