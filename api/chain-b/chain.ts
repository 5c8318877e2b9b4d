/** Chain B in the API. A new route of chain B is added to `createRoutes`. */
import { chainBStage } from '../../schemas/chain-b/stage.ts'
import { withExample } from '../example.ts'
import type { AnsweredRoute } from '../route.ts'
import type { ApiSource } from '../source.ts'
import { gapCountsAnswerOf } from '../trade-gaps.ts'
import type { ChainBDependencies } from './dependencies.ts'
import { createDeskPart } from './desk-part.ts'
import { exampleQueries } from './example-queries.ts'
import { exampleCut } from './example-rows.ts'
import { createFrontPart } from './front-part.ts'
import { headlineOf } from './headline.ts'
import { createBurstsHistory } from './routes/bursts-history.ts'
import { createBurstsLive } from './routes/bursts-live.ts'
import { createCopyStats } from './routes/copy-stats.ts'
import { createGradsHistory } from './routes/grads-history.ts'
import { createGradsLive } from './routes/grads-live.ts'
import { createLeaders } from './routes/leaders.ts'
import { createVerdict } from './routes/verdict.ts'
import { createSamplePart } from './sample-part.ts'
import { createSnapshotPart } from './snapshot-part.ts'
import { createStreamPart } from './stream-part.ts'

const createRoutes = [
  createBurstsLive,
  createBurstsHistory,
  createGradsLive,
  createGradsHistory,
  createLeaders,
  createCopyStats,
  createVerdict,
] satisfies readonly ((dependencies: ChainBDependencies) => AnsweredRoute)[]

/** A paid route of chain B, with the types of its parameters and its answer. */
export type ChainBRoute = ReturnType<(typeof createRoutes)[number]>

const undetectable =
  'Counted: pools of curves that were completed in the last 24 h; trades in pools are not checked, because liquidity may be added that is not followed. Not counted: curves in mayhem mode, which change without trades; on a quiet curve, a missing trade behind which no other has come.'

export const createChainB = (dependencies: ChainBDependencies) =>
  ({
    stage: chainBStage,
    routes: createRoutes.map((create) => {
      const over = create({ ...dependencies, queries: exampleQueries })
      return withExample(create(dependencies), over, { stage: chainBStage, cut: exampleCut })
    }),
    snapshot: createSnapshotPart(dependencies),
    desk: createDeskPart(dependencies),
    sample: createSamplePart(dependencies),
    front: createFrontPart(dependencies),
    // The number of pools is 0, because bursts of chain B are on bonding curves and not in pools.
    counts: async (cut) => ({ bursts24h: (await dependencies.queries.lastDay(cut)).bursts, poolsTracked: 0 }),
    gapCounts: async (cut) => gapCountsAnswerOf(await dependencies.queries.gapCounts(cut), undetectable),
    stream: createStreamPart(dependencies.presentation),
    headlineOf,
  }) satisfies ApiSource
