/**
 * The routes about calls. A call is a token that was named in a followed chat. A new route is added to
 * `createRoutes`.
 */
import { exampleCutOf, exampleStageCut, withExampleAt } from '../example.ts'
import type { ApiProduct } from '../product.ts'
import type { AnsweredRoute } from '../route.ts'
import type { ApiSource } from '../source.ts'
import type { CallsDependencies } from './dependencies.ts'
import { exampleQueries } from './example-queries.ts'
import { createFrontCallsPart } from './front-part.ts'
import { chatsSource } from './required-sources.ts'
import { createCallersLeaderboard } from './routes/callers-leaderboard.ts'
import { createCallsLive } from './routes/calls-live.ts'
import { createCallsOutcomes } from './routes/calls-outcomes.ts'
import { createPrecall } from './routes/precall.ts'
import { createScanner } from './routes/scanner.ts'

type CreateRoute = (dependencies: CallsDependencies) => AnsweredRoute

const createRoutes = [
  createCallsLive,
  createCallsOutcomes,
  createCallersLeaderboard,
  createScanner,
] satisfies readonly CreateRoute[]

/**
 * Routes that exist only if a configured chain provides precalls. A precall describes the trades of a token
 * before a chat first named it.
 */
const createPrecallRoutes = [createPrecall] satisfies readonly CreateRoute[]

/** A paid route about calls, with the types of its parameters and its answer. */
export type CallRoute = ReturnType<(typeof createRoutes)[number] | (typeof createPrecallRoutes)[number]>

function callRoutesOf(dependencies: CallsDependencies): readonly AnsweredRoute[] {
  const hasPrecalls = dependencies.chains.some((chain) => chain.hasPrecalls)
  const cut = exampleStageCut(3000)
  const stages = [chatsSource, ...dependencies.chains].map(({ stage: { name } }) => [name, cut] as const)
  const exampleCut = exampleCutOf(Object.fromEntries(stages))
  return [...createRoutes, ...(hasPrecalls ? createPrecallRoutes : [])].map((create) =>
    withExampleAt(create(dependencies), create({ ...dependencies, queries: exampleQueries }), exampleCut),
  )
}

/** Returns null if the service reads no chats. */
function dependenciesOf(sources: readonly ApiSource[]): CallsDependencies | null {
  const posts = sources.find((source) => source.posts !== undefined)?.posts
  if (posts === undefined) return null
  const chains = sources.flatMap(({ called }) => called ?? [])
  return { queries: posts.queriesOf(chains), chains, callerIdSecret: posts.callerIdSecret }
}

export const calls: ApiProduct = {
  routesOf(sources) {
    const dependencies = dependenciesOf(sources)
    return dependencies === null ? [] : callRoutesOf(dependencies)
  },
  frontCallsOf(sources) {
    const dependencies = dependenciesOf(sources)
    return dependencies && createFrontCallsPart(dependencies)
  },
}
