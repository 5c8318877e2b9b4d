/** The prices of the last hour, from which the path of a copy is read at the end of its hour. */

import type { DurationMs, EpochMs } from '../../../schemas/units.ts'
import { lastUntil } from '../../last-until.ts'

/** Old entries are removed once there are more than this many and they are more than half of all, so the amortised cost is low. */
const staleCountMax = 32

/** Parallel arrays, oldest first: the price after the last trade of an instant. */
export type PriceHistory = { atMs: EpochMs[]; px: number[] }

type Priced = Readonly<{ atMs: EpochMs; px: number }>

export const noHistory = (): PriceHistory => ({ atMs: [], px: [] })

export function addPrice(history: PriceHistory, { atMs, px }: Priced, windowMs: DurationMs): void {
  const last = history.atMs.length - 1
  if (history.atMs[last] === atMs) {
    history.px[last] = px
    return
  }
  history.atMs.push(atMs)
  history.px.push(px)
  const stale = history.atMs.length >> 1
  // The path of a buy of exactly an hour ago still needs the price at or before its first mark.
  if (stale < staleCountMax || (history.atMs[stale] ?? 0) >= atMs - windowMs) return
  history.atMs = history.atMs.slice(stale)
  history.px = history.px.slice(stale)
}

/** The path after a buy. The price at a mark is that after the last trade up to then, the buy itself included. */
export function pathAfter({ atMs, px }: PriceHistory, buy: Priced, marksMs: readonly DurationMs[]): number[] {
  const { atMs: buyAtMs, px: buyPx } = buy
  const path = new Array<number>(marksMs.length)
  let index = lastUntil(atMs, buyAtMs)
  for (let mark = 0; mark < marksMs.length; mark++) {
    const markAtMs = buyAtMs + (marksMs[mark] ?? 0)
    while ((atMs[index + 1] ?? Number.POSITIVE_INFINITY) <= markAtMs) index++
    path[mark] = (px[index] ?? buyPx) / buyPx - 1
  }
  return path
}
