/** The index of the last of these rising instants that is not later, by halving; -1 where there is none. */
export function lastUntil(atMs: readonly number[], untilMs: number): number {
  let from = 0
  for (let behind = atMs.length; from < behind; ) {
    const middle = (from + behind) >> 1
    if ((atMs[middle] ?? 0) <= untilMs) from = middle + 1
    else behind = middle
  }
  return from - 1
}
