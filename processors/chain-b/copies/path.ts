/**
 * Stores the prices of a token in the last hour. The price path after a followed purchase is computed from
 * them.
 */

import assert from 'node:assert/strict'
import type { DurationMs, EpochMs } from '../../../schemas/units.ts'
import { lastUntil } from '../../last-until.ts'

/**
 * Prices that are too old are deleted together, as soon as they are at least this number and at least half of
 * all stored prices. This costs little per price.
 */
const staleCountMax = 32

/** The price after the last trade of each block time, as parallel arrays, oldest first. */
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
  // The path of a purchase begins with the newest price at or before the purchase. For a purchase of an hour
  // ago, this price must therefore be kept.
  const staleAtMs = history.atMs[stale]
  assert(staleAtMs !== undefined)
  if (stale < staleCountMax || staleAtMs >= atMs - windowMs) return
  dropBefore(history, stale)
}

/** Deletes the prices that no purchase at `oldestAtMs` or later needs, and frees the spare capacity of the lists. */
export const trimHistory = (history: PriceHistory, oldestAtMs: EpochMs): void =>
  dropBefore(history, lastUntil(history.atMs, oldestAtMs))

function dropBefore(history: PriceHistory, index: number): void {
  history.atMs = history.atMs.slice(index)
  history.px = history.px.slice(index)
}

/**
 * Returns the price path after a purchase: the return at each of the times `marksMs` after it. The price at
 * such a time is the price after the last trade up to then.
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
