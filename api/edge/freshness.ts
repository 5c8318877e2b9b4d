/** Whether the data may still be sold, judged from the wall clock when serving. */
import assert from 'node:assert/strict'
import type { StageCut as Cut } from '../../projections/cuts.ts'
import type { PaidRouteId } from '../payments/prices.ts'
import { type Refusal, refuse } from './refusals.ts'

/**
 * What answers are made of. `chainA`: the newest block that every partition of the tables has passed; its age covers all
 * that can stop: the feed, the stage, one partition, the sink.
 */
type Dependency = 'chainA'

/** How old each dependency is, in ms. */
type Ages = Readonly<Record<Dependency, number>>

/** What each route sells depends on, and how old that may be, in ms. */
const limitsMs: Readonly<Partial<Record<PaidRouteId, Partial<Ages>>>> = {
  'GET /v1/rh/bursts/live': { chainA: 120_000 },
  'GET /v1/rh/bursts/history': { chainA: 120_000 },
  'GET /v1/rh/pools/new': { chainA: 120_000 },
  'GET /v1/rh/pools/{id}/flow': { chainA: 120_000 },
  'GET /v1/rh/token/{addr}/rugcheck': { chainA: 120_000 },
  'GET /v1/rh/crews': { chainA: 120_000 },
  'GET /v1/snapshot': { chainA: 120_000 },
}

const names: Readonly<Record<Dependency, string>> = { chainA: 'the newest complete block of chain A' }

export const agesAt = (cut: Cut, nowMs: number): Ages => ({
  chainA: Math.max(0, nowMs - Math.min(cut.atMs, cut.blockAtMs)),
})

/** Null: everything the route depends on is fresh enough; a limit itself still is. */
export function judgeFreshness(routeId: PaidRouteId, ages: Ages): Refusal | null {
  const limits = limitsMs[routeId]
  assert(limits, `${routeId} is sold without a limit of freshness`)
  for (const [dependency, limitMs] of Object.entries(limits) as [Dependency, number][])
    if (ages[dependency] > limitMs)
      return refuse(
        'data_stale',
        `${names[dependency]} is ${Math.round(ages[dependency] / 1000)} s old and this route sells none older than ${limitMs / 1000} s; try again shortly, nothing was charged`,
        10,
      )
  return null
}
