/**
 * The table that stores how far the log has been written to the other tables. It has one row per partition
 * and state. `last_known` is set only in the state `done`: for each table of the stage, the time at which its
 * newest row version of the partition became known, or 0 if there is none. So is `last_tick`, the tick at `known_at_ms`.
 */
export const watermarkTable = 'watermarks'
export const watermarkColumns = [
  'topic',
  'log_partition',
  'state',
  'seq',
  'known_at_ms',
  'next_offset',
  'last_known',
  'last_tick',
] as const
