/**
 * Finds the changes of a pool or curve that are published at a point in time. The first change after a pause
 * is published at once. Later changes are published together.
 */

type Change = Readonly<{ block: number; atMs: number }>

export type Pacing = Readonly<{
  nowMs: number
  /** True if no change is delayed past the end of its minute. */
  endsWithMinute: boolean
  /** Returns true for blocks whose changes are published without delay. */
  isUrgent?: (block: number) => boolean
}>

const pauseMs = 10_000
const minuteMs = 60_000

/** Returns the number of the newest block with published changes, or -1. `changes` are in chain order. */
export function lastBlockShown(changes: readonly Change[], { nowMs, endsWithMinute, isUrgent }: Pacing): number {
  let shown: Change | null = null
  let waiting: Change | null = null
  const waitsUntil = (change: Change): number => {
    const pauseEndMs = (shown?.atMs ?? 0) + pauseMs
    const minuteEndMs = Math.floor(change.atMs / minuteMs) * minuteMs + minuteMs - 1
    return endsWithMinute ? Math.min(pauseEndMs, minuteEndMs) : pauseEndMs
  }
  for (const change of changes) {
    if (waiting !== null && change.atMs > waitsUntil(waiting)) [shown, waiting] = [waiting, null]
    const isFirst = shown === null || change.atMs - shown.atMs >= pauseMs
    const isOfShownBlock = shown?.block === change.block
    if (isFirst || isOfShownBlock || isUrgent?.(change.block)) [shown, waiting] = [change, null]
    else waiting = change
  }
  if (waiting !== null && nowMs > waitsUntil(waiting)) shown = waiting
  return shown?.block ?? -1
}
