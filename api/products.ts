/**
 * The products (groups of routes that use data of several sources), in the order of the list on `/`. A new
 * product is added here.
 */
import { calls } from './calls/product.ts'
import { desk } from './desk/product.ts'
import type { ApiProduct } from './product.ts'
import type { Route } from './route.ts'
import { snapshot } from './snapshot.ts'
import type { ApiSource } from './source.ts'

export const products: readonly ApiProduct[] = [calls, snapshot, desk]

/** Returns all paid routes: first the routes of each source, then the routes of the products, and `others` last. */
export const routesOf = (sources: readonly ApiSource[], others: readonly Route[] = []): readonly Route[] => [
  ...sources.flatMap(({ routes = [] }) => routes),
  ...products.flatMap((product) => product.routesOf(sources)),
  ...others,
]

/**
 * Returns the path of an example purchase. It uses the first route with the parameter `hours`, which sells
 * past rows of a chain.
 */
export const examplePathOf = (routes: readonly Route[]): string =>
  `${routes.find(({ params }) => 'hours' in params)?.pattern ?? '/v1/snapshot'}?hours=1`
