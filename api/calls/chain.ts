/** The chats in the API: what is sold of calls. Its stage is that of the chats. A route of calls is added to this list. */
import { chatsStage } from '../../schemas/chats/stage.ts'
import type { ApiChain } from '../chain.ts'
import { withExampleAt } from '../example.ts'
import type { AnsweredRoute } from '../route.ts'
import { exampleCallsCut } from './example-rows.ts'
import { exampleViews } from './example-views.ts'
import { createCallersLeaderboard } from './routes/callers-leaderboard.ts'
import { createCallsLive } from './routes/calls-live.ts'
import { createCallsOutcomes } from './routes/calls-outcomes.ts'
import { createPrecall } from './routes/precall.ts'
import { createScanner } from './routes/scanner.ts'
import type { CallsWorld } from './world.ts'

type CreateRoute = (world: CallsWorld) => AnsweredRoute

const createRoutes: readonly CreateRoute[] = [
  createCallsLive,
  createCallsOutcomes,
  createCallersLeaderboard,
  createScanner,
]

const createRoutesOfChainA: readonly CreateRoute[] = [createPrecall]

export const createCalls = (world: CallsWorld): ApiChain => {
  const hasChainA = world.chains.some(({ name }) => name === 'chain-a')
  const creates = [...createRoutes, ...(hasChainA ? createRoutesOfChainA : [])]
  return {
    stage: chatsStage,
    routes: creates.map((create) =>
      withExampleAt(create(world), create({ ...world, views: exampleViews }), exampleCallsCut),
    ),
    snapshot: null,
    desk: null,
    sample: null,
    botCards: (cut) => world.views.botCards(cut),
    counts: async () => ({ bursts24h: 0, poolsTracked: 0 }),
    // What is pushed of calls is in the derived records of the chains.
    stream: null,
    headlineOf: () => null,
  }
}
