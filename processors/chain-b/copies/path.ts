/** The prices of the last hour, from which the path of a copy is computed. */

import assert from 'node:assert/strict'
import type { DurationMs, EpochMs } from '../../../schemas/units.ts'
import { lastUntil } from '../../last-until.ts'

/**
 * Old entries are removed in bulk. This happens when they are at least this number and at least half of all
 * entries. Bulk removal costs little per entry.
 */
const staleCountMax = 32

/** The price after the last trade of each instant, as parallel arrays, oldest first. */
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
  // The path of a buy begins with the newest price at or before the buy. So for a buy of an hour ago, this
  // price must stay in the history.
  const staleAtMs = history.atMs[stale]
  assert(staleAtMs !== undefined)
  if (stale < staleCountMax || staleAtMs >= atMs - windowMs) return
  history.atMs = history.atMs.slice(stale)
  history.px = history.px.slice(stale)
}

/**
 * Returns the path: the return at each mark after a buy. The price at a mark is the price after the last
 * trade up to the mark.
 */
export function pathAfter({ atMs, px }: PriceHistory, buy: Priced, marksMs: readonly DurationMs[]): number[] {
  const { atMs: buyAtMs, px: buyPx } = buy
  const path = new Array<number>(marksMs.length)
  let index = lastUntil(atMs, buyAtMs)
  for (const [mark, afterMs] of marksMs.entries()) {
    while ((atMs[index + 1] ?? Number.POSITIVE_INFINITY) <= buyAtMs + afterMs) index++
    const markPx = px[index]
    assert(markPx !== undefined, 'the history has no price at the buy')
    path[mark] = markPx / buyPx - 1
  }
  return path
}
