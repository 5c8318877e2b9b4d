/** Chain B in the API. A route of it is added to this list. */
import { chainBStage } from '../../schemas/chain-b/stage.ts'
import type { ApiChain } from '../chain.ts'
import { withExample } from '../example.ts'
import type { AnsweredRoute } from '../route.ts'
import { createDeskPart } from './desk-part.ts'
import { exampleCut } from './example-rows.ts'
import { exampleViews } from './example-views.ts'
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
import type { ChainBWorld } from './world.ts'

const createRoutes: readonly ((world: ChainBWorld) => AnsweredRoute)[] = [
  createBurstsLive,
  createBurstsHistory,
  createGradsLive,
  createGradsHistory,
  createLeaders,
  createCopyStats,
  createVerdict,
]

export const createChainB = (world: ChainBWorld): ApiChain => ({
  stage: chainBStage,
  routes: createRoutes.map((create) => {
    const over = create({ ...world, views: exampleViews })
    return withExample(create(world), over, { stage: chainBStage, cut: exampleCut })
  }),
  snapshot: createSnapshotPart(world),
  desk: createDeskPart(world),
  sample: createSamplePart(world),
  // A curve is no pool.
  counts: async (cut) => ({ bursts24h: (await world.views.lastDay(cut)).bursts, poolsTracked: 0 }),
  gapCounts: (cut) => world.views.gapCounts(cut),
  stream: createStreamPart(world.presentation),
  headlineOf,
})
