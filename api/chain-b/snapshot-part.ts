import { z } from 'zod'
import type { DayRow } from '../../projections/chain-b/queries/chain-b-queries.ts'
import { described, fieldsOf } from '../resource.ts'
import { coinUsdOf } from '../route.ts'
import type { SnapshotPart } from '../snapshot.ts'
import { count } from '../values.ts'
import type { ChainBDependencies } from './dependencies.ts'
import { exampleQueries } from './example-queries.ts'
import { exampleCut } from './example-rows.ts'
import { presentBurst, solBurst } from './resources/burst.ts'
import { chainBSource, solPriceNeed } from './source.ts'

const { now, resource } = fieldsOf<DayRow>()

const lastDay = resource('solLast24h', {
  bursts: now(count, 'Bursts of the last 24 h.', (row) => row.bursts),
  scored: now(count, 'Of those, scored.', (row) => row.scored),
  graduated: now(count, 'Of those that are scored, completed within their window.', (row) => row.graduated),
})

const snapshotPart = z.strictObject({
  solUsd: described('now', z.number().positive(), 'SOL price in USD.'),
  bursts: described('now', z.array(solBurst.schema), 'Newest first.'),
  last24h: described('now', lastDay.schema, 'How the bursts of the last 24 h ended.'),
})

const answerOf =
  ({ queries, presentation }: ChainBDependencies): SnapshotPart['answer'] =>
  async ({ minutes }, cut) => {
    const [bursts, day] = await Promise.all([queries.burstsLive(cut, { minutes }), queries.lastDay(cut)])
    return {
      solUsd: coinUsdOf(cut),
      bursts: bursts.map((row) => presentBurst(row, presentation)),
      last24h: lastDay.present(day),
    } satisfies z.output<typeof snapshotPart>
  }

export const createSnapshotPart = (dependencies: ChainBDependencies): SnapshotPart => ({
  wireName: dependencies.presentation.chainName,
  source: chainBSource,
  needs: [solPriceNeed],
  schema: snapshotPart,
  answer: answerOf(dependencies),
  example: () => answerOf({ ...dependencies, queries: exampleQueries })({ minutes: 60 }, exampleCut),
})
