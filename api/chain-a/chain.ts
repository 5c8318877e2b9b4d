/** Chain A in the API. A new route of chain A is added to `createRoutes`. */
import { chainAStage } from '../../schemas/chain-a/stage.ts'
import { withExample } from '../example.ts'
import type { AnsweredRoute } from '../route.ts'
import type { ApiSource } from '../source.ts'
import { gapCountsAnswerOf } from '../trade-gaps.ts'
import type { ChainADependencies } from './dependencies.ts'
import { createDeskPart } from './desk-part.ts'
import { exampleQueries } from './example-queries.ts'
import { exampleCut } from './example-rows.ts'
import { createFrontPart } from './front-part.ts'
import { headlineOf } from './headline.ts'
import { createBurstsHistory } from './routes/bursts-history.ts'
import { createBurstsLive } from './routes/bursts-live.ts'
import { createCrews } from './routes/crews.ts'
import { createPoolFlow } from './routes/pool-flow.ts'
import { createPoolsNew } from './routes/pools-new.ts'
import { createRugCheck } from './routes/rugcheck.ts'
import { createVerdict } from './routes/verdict.ts'
import { createSamplePart } from './sample-part.ts'
import { createSnapshotPart } from './snapshot-part.ts'
import { createStreamPart } from './stream-part.ts'

const createRoutes = [
  createBurstsLive,
  createBurstsHistory,
  createPoolsNew,
  createPoolFlow,
  createRugCheck,
  createCrews,
  createVerdict,
] satisfies readonly ((dependencies: ChainADependencies) => AnsweredRoute)[]

/** A paid route of chain A, with the types of its parameters and its answer. */
export type ChainARoute = ReturnType<(typeof createRoutes)[number]>

const undetectable =
  'Counted: launchpad curves that opened in the last 24 h; trades on curves are not checked. Not counted: in pools, what is missing before a swap that changes the liquidity in range or crosses the bound of a position, before the first swap of a pool whose initial price is exactly a price tick, or in a pool with too many positions to follow; swaps that together bring the price back to where it was.'

export const createChainA = (dependencies: ChainADependencies) =>
  ({
    stage: chainAStage,
    routes: createRoutes.map((create) => {
      const over = create({ ...dependencies, queries: exampleQueries })
      return withExample(create(dependencies), over, { stage: chainAStage, cut: exampleCut })
    }),
    snapshot: createSnapshotPart(dependencies),
    desk: createDeskPart(dependencies),
    sample: createSamplePart(dependencies),
    front: createFrontPart(dependencies),
    counts: (cut) => dependencies.queries.counts(cut),
    gapCounts: async (cut) => gapCountsAnswerOf(await dependencies.queries.gapCounts(cut), undetectable),
    stream: createStreamPart(dependencies.presentation),
    headlineOf,
  }) satisfies ApiSource
