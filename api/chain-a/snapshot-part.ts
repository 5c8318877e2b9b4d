import { z } from 'zod'
import type { DayRow } from '../../projections/chain-a/queries/chain-a-views.ts'
import { described, fieldsOf } from '../resource.ts'
import { coinUsdOf } from '../route.ts'
import type { SnapshotPart } from '../snapshot.ts'
import { count, share } from '../values.ts'
import { exampleCut } from './example-rows.ts'
import { exampleViews } from './example-views.ts'
import { rhBurst } from './resources/burst.ts'
import { pool } from './resources/pool.ts'
import { chainASource, ethPriceNeed } from './source.ts'
import type { ChainAWorld } from './world.ts'

/** The same limit as that of the new-pools route. */
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
  ({ views, presentation }: ChainAWorld): SnapshotPart['answer'] =>
  async ({ minutes }, cut) => {
    const [bursts, newPools, created, day] = await Promise.all([
      views.burstsLive(cut, { minutes, tier: 'all', lp: 'all' }),
      views.poolsNew(cut, { hours: 1, limit: newPoolsMax }),
      views.poolsCreated(cut, { hours: 1 }),
      views.lastDay(cut),
    ])
    return {
      ethUsd: coinUsdOf(cut),
      bursts: bursts.map((row) => rhBurst.present(row, presentation)),
      newPools: newPools.map((row) => pool.present(row, cut)),
      newPoolsLeftOut: created - newPools.length,
      last24h: lastDay.present(day),
    } satisfies z.output<typeof snapshotPart>
  }

export const createSnapshotPart = (world: ChainAWorld): SnapshotPart => ({
  wireName: world.presentation.chainName,
  source: chainASource,
  needs: [ethPriceNeed],
  schema: snapshotPart,
  answer: answerOf(world),
  example: () => answerOf({ ...world, views: exampleViews })({ minutes: 60 }, exampleCut),
})
