import type { EpochMs } from '../schemas/units.ts'

/**
 * Returns the index of the last time that is not later than `untilMs`, or -1 if there is none. The times must
 * ascend.
 */
export function lastUntil(atMs: readonly EpochMs[], untilMs: EpochMs): number {
  let from = 0
  for (let behind = atMs.length; from < behind; ) {
    const middle = (from + behind) >> 1
    if ((atMs[middle] ?? 0) <= untilMs) from = middle + 1
    else behind = middle
  }
  return from - 1
}
