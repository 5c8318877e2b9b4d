/** A paid route as data: its pattern, what it takes, and its answer as a function of the cut. */
import type { StageCut as Cut } from '../projections/cuts.ts'
import type { Params, ParamValues } from './edge/params.ts'
import type { Refusal } from './edge/refusals.ts'
import { type PaidRouteId, pricesUsdMicros } from './payments/prices.ts'

export type Route<P extends Params = Params> = Readonly<{
  /** Canonical, with Koa's `:name`; the alias without `/v1` is served too. */
  pattern: `/v1/${string}`
  description: string
  params: P
  /**
   * The body, or why there is none for these parameters. Depends on nothing but the values and the cut, so that the
   * same cut gives the same bytes again.
   */
  answer(values: ParamValues<P>, cut: Cut): Promise<object | Refusal>
}>

/** Keeps the parameter types of a route's answer, which a list of routes could not. */
export const route = <const P extends Params>(definition: Route<P>): Route => definition as unknown as Route

/** `GET /v1/rh/pools/{id}/flow`: the route as prices, statistics and documents name it; aliases share it. */
export const routeIdOf = (route: Route): PaidRouteId => {
  const routeId = `GET ${route.pattern.replace(/:(\w+)/g, '{$1}')}`
  if (routeId in pricesUsdMicros) return routeId as PaidRouteId
  throw new TypeError(`route ${routeId} has no price`)
}
