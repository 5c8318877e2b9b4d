/** The product of calls: what posts of followed chats said of tokens, and what became of it. A route is added to this list. */
import { exampleCutOf, exampleStageCut, withExampleAt } from '../example.ts'
import type { ApiProduct } from '../product.ts'
import type { AnsweredRoute } from '../route.ts'
import { chatsSource } from './dependencies.ts'
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

/** Only where a chain tells what happened before a call. */
const createPrecallRoutes: readonly CreateRoute[] = [createPrecall]

export function callRoutesOf(world: CallsWorld): readonly AnsweredRoute[] {
  const hasPrecalls = world.chains.some((chain) => chain.hasPrecalls)
  const cut = exampleStageCut(3000)
  const stages = [chatsSource, ...world.chains].map(({ stage: { name } }) => [name, cut] as const)
  const exampleCut = exampleCutOf(Object.fromEntries(stages))
  return [...createRoutes, ...(hasPrecalls ? createPrecallRoutes : [])].map((create) =>
    withExampleAt(create(world), create({ ...world, views: exampleViews }), exampleCut),
  )
}

export const calls: ApiProduct = {
  routesOf(sources) {
    const posts = sources.find((source) => source.posts !== undefined)?.posts
    if (posts === undefined) return []
    const chains = sources.flatMap(({ called }) => called ?? [])
    return callRoutesOf({ views: posts.viewsOf(chains), chains, callerIdSecret: posts.callerIdSecret })
  },
}
