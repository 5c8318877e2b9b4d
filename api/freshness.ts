/**
 * Whether the data may still be sold, judged from the wall clock when serving. The age of the newest block that every
 * partition of the route's tables has passed covers all that can stop: the feed, the stage, one partition, the sink.
 */
import type { Cut } from '../projections/queries/chain-a-views.ts'
import { type Refusal, refuse } from './refusals.ts'

export const dataAgeMs = (cut: Cut, nowMs: number): number => Math.max(0, nowMs - Math.min(cut.atMs, cut.blockAtMs))

/** Null: fresh enough for a limit in ms. */
export function judgeFreshness(cut: Cut, nowMs: number, limitMs: number): Refusal | null {
  const ageMs = dataAgeMs(cut, nowMs)
  if (ageMs <= limitMs) return null
  return refuse(
    'data_stale',
    `the newest data is ${Math.round(ageMs / 1000)} s old and this route sells none older than ${limitMs / 1000} s; try again shortly, nothing was charged`,
    10,
  )
}
