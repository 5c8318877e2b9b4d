import type { EpochMs } from '../schemas/units.ts'

/** Binary search in ascending instants: the index of the last one that is not later than `untilMs`, or -1. */
export function lastUntil(atMs: readonly EpochMs[], untilMs: EpochMs): number {
  let from = 0
  for (let behind = atMs.length; from < behind; ) {
    const middle = (from + behind) >> 1
    if ((atMs[middle] ?? 0) <= untilMs) from = middle + 1
    else behind = middle
  }
  return from - 1
}
