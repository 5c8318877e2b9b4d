/** Which changes of a pool or curve are published by an instant: the first after a pause at once, later ones together. */

type Change = Readonly<{ block: number; atMs: number }>

export type Pacing = Readonly<{
  nowMs: number
  /** Nothing waits past the end of its minute. */
  endsWithMinute: boolean
  /** Changes that are published with their block whatever was published before. */
  isUrgent?: (block: number) => boolean
}>

const pauseMs = 10_000
const minuteMs = 60_000

/** The number of the newest block whose changes are published; -1 if none is. `changes` in chain order, up to now. */
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
