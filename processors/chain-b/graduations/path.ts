/** Records the fill of a curve (the sold share of its tokens) over its last hour. */

import assert from 'node:assert/strict'
import { curveFill, forSaleRaw } from '../../../schemas/chain-b/curve.ts'
import type { Graduation } from '../../../schemas/chain-b/derived.ts'
import type { ChainBNumbers } from '../../../schemas/chain-b/numbers.ts'
import { type EpochMs, minuteMs } from '../../../schemas/units.ts'
import { lastUntil } from '../../last-until.ts'
import type { Opening } from '../mints/mint.ts'

/**
 * Entries that are too old are deleted together, as soon as they are at least this number and at least half
 * of all entries. This costs little per entry.
 */
const staleCountMax = 32

/**
 * The raw tokens that the curve has left for sale over time, as parallel arrays, oldest first. The first
 * entry is from the fact with which tracking began.
 */
export type FillHistory = { atMs: EpochMs[]; leftRaw: number[] }

/** Begins a history. After a launch, all tokens are for sale until the first trade, for every kind of curve. */
export const historyOf = ({ type, data }: Opening): FillHistory => ({
  atMs: [data.blockAtMs],
  leftRaw: [Number(type === 'CurveFound' ? data.realTokenRaw : forSaleRaw)],
})

type Filled = Readonly<{ atMs: EpochMs; leftRaw: number }>
type PathRule = ChainBNumbers['graduations']

/** Adds the raw tokens that the curve has left at the end of a slot. Several slots can have the same time. */
export function addToHistory(history: FillHistory, { atMs, leftRaw }: Filled, { pathMinutes }: PathRule): void {
  if (history.atMs.at(-1) === atMs) {
    history.leftRaw[history.leftRaw.length - 1] = leftRaw
    return
  }
  history.atMs.push(atMs)
  history.leftRaw.push(leftRaw)
  const stale = history.atMs.length >> 1
  const staleAtMs = history.atMs[stale]
  assert(staleAtMs !== undefined)
  if (stale >= staleCountMax && staleAtMs <= atMs - pathMinutes * minuteMs) dropBefore(history, stale)
}

/** Deletes the entries that are too old for the path of any graduation after `atMs`, and frees the spare capacity of the lists. */
export function trimHistory(history: FillHistory, atMs: EpochMs, { pathMinutes }: PathRule): void {
  // The first minute of a path has the fill of the newest entry at or before it.
  dropBefore(history, Math.max(0, lastUntil(history.atMs, atMs - pathMinutes * minuteMs)))
}

function dropBefore(history: FillHistory, index: number): void {
  history.atMs = history.atMs.slice(index)
  history.leftRaw = history.leftRaw.slice(index)
}

/**
 * Returns the fill of the curve at each whole minute before its graduation (completion). The path has
 * `pathMinutes` minutes, or fewer if tracking began later. The fill at the graduation is 1.
 */
export function pathOf(
  { atMs, leftRaw }: FillHistory,
  gradAtMs: EpochMs,
  { pathMinutes }: PathRule,
): Graduation['path'] {
  const points: Graduation['path'][number][] = [{ beforeSec: 0, fill: 1 }]
  let index = atMs.length - 1
  for (let minute = 1; minute <= pathMinutes; minute++) {
    const instantMs = gradAtMs - minute * minuteMs
    while ((atMs[index] ?? 0) > instantMs) index--
    const left = leftRaw[index]
    if (left === undefined) break
    points.push({ beforeSec: minute * 60, fill: curveFill(BigInt(left)) })
  }
  return points.reverse()
}
