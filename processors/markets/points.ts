/**
 * A value over time, such as a price. Each value is in force until the next value. Only the last value of each
 * second is kept, with the end of that second as its time. So a value read at a whole second is exact.
 *
 *   at        9.2   10.0  10.1  10.9         12.3
 *   value      a     b     c     d            e
 *   kept      10: b       11: d          13: e          value at 12: d
 */

import { priceMemoryMs } from '../../schemas/calls/retention.ts'
import { type EpochMs, secondMs } from '../../schemas/units.ts'
import { lastUntil } from '../last-until.ts'

/**
 * Values that are too old are deleted together, as soon as they are at least this number and at least half of
 * all stored values. This costs little per value.
 */
const staleCountMax = 32

/**
 * Times and values as two parallel arrays, oldest first. One object per value would take more time than the
 * rules that use them.
 */
export type Points = { atMs: EpochMs[]; value: number[] }

export const noPoints = (): Points => ({ atMs: [], value: [] })

/** Returns the end of the second that contains `atMs`. A whole second is returned unchanged. */
export const secondOf = (atMs: EpochMs): EpochMs => Math.ceil(atMs / secondMs) * secondMs

/** Adds a value. Values must come in order of time. May delete values that ended more than 75 minutes ago. */
export function addPoint(points: Points, atMs: EpochMs, value: number): void {
  const endMs = secondOf(atMs)
  const last = points.atMs.length - 1
  if (points.atMs[last] === endMs) {
    points.value[last] = value
    return
  }
  pushPoint(points, endMs, value)
}

/** Appends a value at its exact time, without rounding to seconds. */
export function pushPoint(points: Points, atMs: EpochMs, value: number): void {
  // Most markets have only one price, so the first value gets a list of one entry. An append to an empty list
  // makes V8 reserve 17 entries.
  if (points.atMs.length === 0) {
    points.atMs = [atMs]
    points.value = [value]
    return
  }
  points.atMs.push(atMs)
  points.value.push(value)
  const stale = points.atMs.length >> 1
  if (stale < staleCountMax || (points.atMs[stale] as number) > atMs - priceMemoryMs) return
  dropBefore(points, stale)
}

/** Deletes values that were replaced before `fromMs`. */
export function prunePoints(points: Points, fromMs: EpochMs): void {
  const first = indexAt(points, fromMs)
  if (first > 0) dropBefore(points, first)
}

/** Frees the spare capacity of the lists. A list of one entry has none. */
export function compactPoints(points: Points): void {
  if (points.atMs.length > 1) dropBefore(points, 0)
}

/** Returns the value in force at `atMs`. Null: there was no value yet. */
export function valueAt(points: Points, atMs: EpochMs): number | null {
  return points.value[indexAt(points, atMs)] ?? null
}

/** Returns the index of the value in force at `untilMs`, or -1 if there was no value yet. */
export const indexAt = ({ atMs }: Points, untilMs: EpochMs): number => lastUntil(atMs, untilMs)

function dropBefore(points: Points, index: number): void {
  points.atMs = points.atMs.slice(index)
  points.value = points.value.slice(index)
}
