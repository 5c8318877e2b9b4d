/**
 * Lists the paid routes, with queries that return no rows. Tests compare their own lists of routes with this
 * list.
 */
import { createChainA } from '../../../api/chain-a/chain.ts'
import { createChainB } from '../../../api/chain-b/chain.ts'
import { routesOf } from '../../../api/products.ts'
import type { Route } from '../../../api/route.ts'
import { calledA, calledB, chatsOver, createFixedCallsQueries } from '../calls/fixed-queries.ts'
import { createFixedChainBQueries } from '../chain-b/fixed-queries.ts'
import { createFixedQueries } from '../fixed-queries.ts'
import { streamOf } from '../stream.ts'

const ruleIdSecret = 'a secret of the test'
const callerIdSecret = 'another secret of the test'

const chainA = {
  ...createChainA({
    queries: createFixedQueries().queries,
    presentation: { chainName: 'chainA', launchpadKey: 'launchCurve', ruleIdSecret, callerIdSecret },
  }),
  called: calledA,
}

const chainB = {
  ...createChainB({
    queries: createFixedChainBQueries().queries,
    presentation: { chainName: 'chainB', ruleIdSecret, callerIdSecret },
  }),
  called: calledB,
}

const chats = chatsOver(createFixedCallsQueries())

export const apiChains = [chainA, chainB, chats] as const

export const apiStream = streamOf(apiChains)

export const paidRoutes: readonly Route[] = routesOf(apiChains, [apiStream.passRoute])

export const paidPatterns: readonly string[] = paidRoutes.map(({ pattern }) => pattern)

/** The routes of chain A, including the snapshot. */
export const chainARoutes: readonly Route[] = routesOf([chainA])
export const chainAPatterns: readonly string[] = chainARoutes.map(({ pattern }) => pattern)

/** Returns the path of a route. `values` has a value for each parameter, for example `{ addr: '0x…' }`. */
export const pathOf = ({ pattern }: Pick<Route, 'pattern'>, values: Readonly<Record<string, string>>): string =>
  pattern.replace(/:(\w+)/g, (_, name: string) => {
    const value = values[name]
    if (value === undefined) throw new TypeError(`the test has no ${name} for ${pattern}`)
    return value
  })

/** Returns the route of a path. The path can have a query. */
export function routeAt(path: string, routes: readonly Route[] = paidRoutes): Route {
  const [pathname = ''] = path.split('?')
  const found = routes.find(({ pattern }) => new RegExp(`^${pattern.replace(/:\w+/g, '[^/]+')}$`).test(pathname))
  if (!found) throw new TypeError(`there is no route for ${path}`)
  return found
}

/** Returns the patterns of the routes of these paths, without duplicates. */
export const patternsOf = (paths: readonly string[]): readonly string[] => [
  ...new Set(paths.map((path) => routeAt(path).pattern)),
]
