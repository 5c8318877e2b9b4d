/** The age at which retention removes a record. */

import type { DurationMs, EpochMs } from '../../schemas/units.ts'

type Age = Readonly<{
  nowMs: EpochMs
  /** The time at which the newest record of the partition was appended. Undefined if the partition is empty. */
  newestAtMs: EpochMs | undefined
  retentionMs: DurationMs
}>

/**
 * Retention removes the records of a partition that were appended before this instant. Age is counted from the
 * partition's newest record, and at most from now. So a partition that is idle for longer than its retention loses
 * nothing. Its writer still finds its last record, and a task still finds the facts after its last snapshot.
 */
export const expiredBeforeMs = ({ nowMs, newestAtMs = nowMs, retentionMs }: Age): EpochMs =>
  Math.min(nowMs, newestAtMs) - retentionMs
