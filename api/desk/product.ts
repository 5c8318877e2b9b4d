/**
 * The routes of the paper desk (simulated trading): a paid route of its trades, and a free route of their
 * statistics.
 */
import type { ApiProduct } from '../product.ts'
import type { ApiSource } from '../source.ts'
import { createDeskStatsRoute } from './stats-route.ts'
import { createDeskTradesRoute } from './trades-route.ts'

const partsOf = (sources: readonly ApiSource[]) => sources.flatMap(({ desk }) => desk ?? [])

export const desk: ApiProduct = {
  routesOf: (sources) => [createDeskTradesRoute(partsOf(sources))].filter((route) => route !== null),
  freeRoutesOf: ({ sources, ...context }) =>
    [createDeskStatsRoute({ parts: partsOf(sources), ...context })].filter((route) => route !== null),
}
