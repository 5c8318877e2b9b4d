/** Computes the age limit of the records of a partition. */

import type { DurationMs, EpochMs } from '../../schemas/units.ts'

type Age = Readonly<{
  nowMs: EpochMs
  /** The time at which the newest record of the partition was appended. Undefined if the partition is empty. */
  newestAtMs: EpochMs | undefined
  retentionMs: DurationMs
}>

/**
 * Retention removes the records of a partition that were appended before this time. The time is `retentionMs`
 * before the newest record, or before now if now is earlier. So a partition that is idle for longer than its
 * retention loses nothing. Its writer still finds its last record, and a processing task still finds the
 * facts after its last snapshot.
 */
export const expiredBeforeMs = ({ nowMs, newestAtMs = nowMs, retentionMs }: Age): EpochMs =>
  Math.min(nowMs, newestAtMs) - retentionMs
