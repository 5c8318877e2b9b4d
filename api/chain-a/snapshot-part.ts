/** Chain A's part of the answer of `/v1/snapshot`. */
import { z } from 'zod'
import type { DayRow } from '../../projections/chain-a/queries/chain-a-queries.ts'
import { described, fieldsOf } from '../resource.ts'
import { coinUsdOf } from '../route.ts'
import type { SnapshotPart } from '../snapshot.ts'
import { count, share } from '../values.ts'
import type { ChainADependencies } from './dependencies.ts'
import { exampleQueries } from './example-queries.ts'
import { exampleCut } from './example-rows.ts'
import { presentBurst, rhBurst } from './resources/burst.ts'
import { pool } from './resources/pool.ts'
import { chainASource, ethPriceNeed } from './source.ts'

/** Returns null if `whole` is 0, because a share of 0 would look like a result. */
const shareOf = (part: number, whole: number): number | null => (whole === 0 ? null : part / whole)

const { now, resource } = fieldsOf<DayRow>()

const rugCheckOfDay = resource('rhDayRugCheck', {
  checked: now(count, 'Bursts with a liquidity class.', (row) => row.checked),
  held: now(count, 'Of those, class held.', (row) => row.held),
  heldPct: now(share.nullable(), 'held / checked, 0-1; null without any.', (row) => shareOf(row.held, row.checked)),
  heldScored: now(count, 'Held and scored.', (row) => row.heldScored),
  heldPulled: now(count, 'Held, scored and pulled within the window.', (row) => row.heldPulled),
  heldPulledPct: now(share.nullable(), 'heldPulled / heldScored, 0-1; null without any.', (row) =>
    shareOf(row.heldPulled, row.heldScored),
  ),
  safe: now(count, 'Class safe.', (row) => row.safe),
  safeScored: now(count, 'Safe and scored.', (row) => row.safeScored),
  safePulled: now(count, 'Safe, scored and pulled all the same.', (row) => row.safePulled),
})

/**
 * The outcomes of the bursts of the last 24 hours. They also show how well the liquidity check predicted the
 * outcomes.
 */
const lastDay = resource('rhLast24h', {
  bursts: now(count, 'Bursts of the last 24 h.', (row) => row.bursts),
  scored: now(count, 'Of those, scored.', (row) => row.scored),
  medianRet30m: now(
    z.number().nullable(),
    'Median of ret30m; null while nothing is scored.',
    (row) => row.medianRet30m,
  ),
  medianRuleRet: now(z.number().nullable(), 'Median of ruleRet.', (row) => row.medianRuleRet),
  rugCheck: now(rugCheckOfDay.schema, 'What the liquidity check was worth.', (row) => rugCheckOfDay.present(row)),
})

/** The maximum number of new pools in the snapshot, equal to the largest `limit` of `/v1/rh/pools/new`. */
const newPoolsMax = 1000

export const snapshotPart = z.strictObject({
  ethUsd: described('now', z.number().positive(), 'ETH price in USD.'),
  bursts: described('now', z.array(rhBurst.schema), 'Of all tiers, newest first.'),
  newPools: described(
    'now',
    z.array(pool.schema).max(newPoolsMax),
    `Opened in the last hour, youngest first; the youngest ${newPoolsMax} of more.`,
  ),
  newPoolsLeftOut: described(
    'now',
    count,
    'Pools opened in the last hour that newPools leaves out: those beyond its length, and v3 pools that have no price yet.',
  ),
  last24h: described('now', lastDay.schema, 'How the bursts of the last 24 h ended.'),
})

const answerOf =
  ({ queries, presentation }: ChainADependencies): SnapshotPart['answer'] =>
  async ({ minutes }, cut) => {
    const [bursts, { pools: newPools, created }, day] = await Promise.all([
      queries.burstsLive(cut, { minutes, tier: 'all', lp: 'all' }),
      queries.poolsNewCounted(cut, { hours: 1, limit: newPoolsMax }),
      queries.lastDay(cut),
    ])
    return {
      ethUsd: coinUsdOf(cut),
      bursts: bursts.map((row) => presentBurst(row, presentation)),
      newPools: newPools.map((row) => pool.present(row, cut)),
      newPoolsLeftOut: created - newPools.length,
      last24h: lastDay.present(day),
    } satisfies z.output<typeof snapshotPart>
  }

export const createSnapshotPart = (dependencies: ChainADependencies): SnapshotPart => ({
  wireName: dependencies.presentation.chainName,
  source: chainASource,
  needs: [ethPriceNeed],
  schema: snapshotPart,
  answer: answerOf(dependencies),
  example: () => answerOf({ ...dependencies, queries: exampleQueries })({ minutes: 60 }, exampleCut),
})
