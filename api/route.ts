/**
 * A paid route as a value. The code that serves, checks, sells and documents routes reads these fields, so it contains
 * no route names.
 */
import assert from 'node:assert/strict'
import type { z } from 'zod'
import type { Cut, StageCut } from '../projections/cuts.ts'
import type { Stage } from '../schemas/stage.ts'
import type { DurationMs, EpochMs } from '../schemas/units.ts'
import { type AsOfParam, asOfParam, type Params, type ParamValues, type PathParam } from './sale/params.ts'
import type { Refusal, RefusalCode } from './sale/refusals.ts'

/** A stage (the processing of one chain, or of the chats) whose data is needed for an answer. */
export type RequiredSource = Readonly<{
  stage: Stage
  /** The name of the newest data in the text of `data_stale`, for example `the newest complete block of chain A`. */
  newest: string
  /**
   * The maximum age of the data. The age counts from the newest block whose data is complete in the tables.
   * So the age rises if any part of the service stops between the feed and the tables.
   */
  maxAgeMs: DurationMs
  /** Whether an answer to a request with these parameters depends on this stage. Default: always. */
  isFor?(values: ParamValues<Params>): boolean
}>

/**
 * A condition that must be met before the route can answer. Must be cheap, because every request checks it. If it is
 * not met, the request is refused with `warming_up` and the text `refusal`.
 */
export type Need = Readonly<{ name: string; refusal: string; isMet(cut: Cut): boolean | Promise<boolean> }>

/** The limits of the parameter `asOf`, with which a route answers for an earlier time. */
export type History = Readonly<{
  /** The maximum time from `asOf` to the newest complete data. Null: as far back as the data is kept. */
  windowMs: DurationMs | null
  /**
   * The maximum time from the data that an answer reads to the time of the answer. `newestAtMs`: the time of
   * the newest complete data.
   */
  lookBackMs: DurationMs | ((values: ParamValues<Params>, newestAtMs: EpochMs) => DurationMs)
}>

/**
 * The token, pool, wallet or mint that the path of a request names. If the service has no data about it, the
 * request is refused before the payment and costs no query.
 */
type Subject<Name extends string = string> = Readonly<{
  /** Name of the path parameter. */
  param: Name
  stage: Stage
  /**
   * `mayHold` returns whether the service may have data about the subject. The result may be false only if
   * `answer` would refuse the same request. Chains create this value with `createTracked`.
   */
  tracked: Readonly<{
    mayHold(identifier: string, cut: StageCut): Promise<boolean>
    /** Returns a subject for which `mayHold` is true, or null if there is none. */
    example(cut: StageCut): Promise<string | null>
  }>
  refusal(identifier: string): Refusal
}>

/** An example request and its answer. `values`: the values of the route's parameters. */
export type Example = Readonly<{ values: Readonly<Record<string, number | string>>; body: object }>

type Sold<P extends Params, Schema extends z.ZodObject> = Readonly<{
  /** The canonical pattern with Koa's `:name`. The same path without `/v1` is served too. */
  pattern: `/v1/${string}`
  /** The name of the MCP tool. */
  tool: string
  description: string
  /** The price in millionths of a dollar, a whole number: 10_000 is one cent. */
  priceUsdMicros: number
  params: P
  /** The schema of the body. Each field has its availability and description; see `resource.ts`. */
  schema: Schema
  /** The example for documents and catalogues. Chains add it with `withExample`. */
  example?(): Promise<Example>
  /** The refusal codes that the other fields of the route do not imply. */
  refusals?: readonly RefusalCode[]
}>

type Described<P extends Params, Schema extends z.ZodObject> = Sold<P, Schema> &
  Readonly<{
    isPersonal?: undefined
    /**
     * The stages whose data the answer needs. A stage does not count if its `isFor` returns false for the
     * parameters.
     */
    dependsOn: readonly [RequiredSource, ...RequiredSource[]]
    needs: readonly Need[]
    history: History
    /**
     * Present only for answers that are computed once an hour. Returns the time up to which the hourly answer
     * includes all data, or null if there is no answer yet. The answer is sold only if this time is not older
     * than the `maxAgeMs` of the sources.
     */
    coveredUntil?: ((cut: Cut) => Promise<number | null>) | undefined
    /**
     * Returns the body, or the refusal for these parameters. `cut`: the time for which the body is computed.
     * The body must depend only on the values and the cut, so that it can be rebuilt with the same bytes.
     */
    answer(values: ParamValues<P>, cut: Cut): Promise<z.output<Schema> | Refusal>
  }>

/**
 * A request can name an unknown identifier in the path. So a route with a path parameter must have a subject.
 */
export type RouteOf<P extends Params, Schema extends z.ZodObject> = Described<P, Schema> &
  ([Extract<P[keyof P], PathParam>] extends [never]
    ? Readonly<{ subject?: undefined }>
    : Readonly<{ subject: Subject<keyof P & string> }>)

/**
 * A route that sells a body made for one payment, such as a stream pass. Such a body contains no data of a
 * chain.
 */
type PersonalRouteOf<P extends Params, Schema extends z.ZodObject> = Sold<P, Schema> &
  Readonly<{
    isPersonal: true
    dependsOn: readonly []
    needs: readonly []
    subject?: undefined
    /** Returns the reason why the body is not sold now, or null. Called right after the parameters were parsed. */
    refusal(): Refusal | null
    /** Returns the body. Must depend only on its arguments, so that the same payment buys the same bytes again. */
    issue(values: ParamValues<P>, sale: PersonalSale): z.output<Schema>
  }>

/** `soldAtMs`: when the body is first sent. */
type PersonalSale = Readonly<{ soldAtMs: EpochMs; paymentId: string }>

export type AnsweredRoute = Described<Params, z.ZodObject> & Readonly<{ subject?: Subject | undefined }>
export type PersonalRoute = PersonalRouteOf<Params, z.ZodObject>
export type Route = AnsweredRoute | PersonalRoute

/**
 * A route with the types of its own pattern, parameters and schema. A client gets the types of its requests and
 * answers from them.
 */
export type RouteAs<
  Kind extends Route,
  Pattern extends Route['pattern'],
  P extends Params,
  Schema extends z.ZodObject,
> = Omit<Kind, 'pattern' | 'params' | 'schema'> & Readonly<{ pattern: Pattern; params: P; schema: Schema }>

/**
 * Checks a route against the types of its own parameters and schema. The type of a list of routes cannot
 * check this. Also adds the parameter `asOf`. The code that sells answers converts `asOf` to a cut, so
 * `answer` does not see it.
 */
export const route = <const Pattern extends Route['pattern'], const P extends Params, Schema extends z.ZodObject>(
  definition: RouteOf<P, Schema> & Readonly<{ pattern: Pattern }>,
): RouteAs<AnsweredRoute, Pattern, P & Readonly<{ asOf: AsOfParam }>, Schema> => {
  const checked = definition as unknown as RouteAs<AnsweredRoute, Pattern, P, Schema>
  assert(!('asOf' in definition.params), 'a route must not declare the parameter asOf, because every route has it')
  return { ...checked, params: { ...definition.params, asOf: asOfParam } }
}

/** Like `route`, for a personal route. */
export const personalRoute = <
  const Pattern extends Route['pattern'],
  const P extends Params,
  Schema extends z.ZodObject,
>(
  definition: PersonalRouteOf<P, Schema> & Readonly<{ pattern: Pattern }>,
): RouteAs<PersonalRoute, Pattern, P, Schema> => definition as unknown as RouteAs<PersonalRoute, Pattern, P, Schema>

/**
 * Returns the id of the route in payments, statistics and documents, such as `GET /v1/rh/pools/{id}/flow`. Aliases of
 * the route share the id.
 */
export const routeIdOf = ({ pattern }: Pick<Route, 'pattern'>): string => `GET ${pattern.replace(/:(\w+)/g, '{$1}')}`

type Depending = Readonly<{ dependsOn: readonly RequiredSource[] }>

/** Returns all stages that answers of the route can depend on. */
export const stagesOf = ({ dependsOn }: Depending): readonly Stage[] => dependsOn.map(({ stage }) => stage)

/** Returns the data sources that an answer to a request with these parameters depends on. */
export const requiredSourcesFor = ({ dependsOn }: Depending, values: ParamValues<Params>): readonly RequiredSource[] =>
  dependsOn.filter(({ isFor }) => isFor?.(values) ?? true)

export const stagesFor = (route: Depending, values: ParamValues<Params>): readonly Stage[] =>
  stagesOf({ dependsOn: requiredSourcesFor(route, values) })

/**
 * Returns the state of one stage from a cut (the states of several stages at one time). Fails if the cut does
 * not contain the stage.
 */
export function stageCutOf(cut: Cut, { name }: Pick<Stage, 'name'>): StageCut {
  const found = cut.stages[name]
  assert(found, `the cut does not cover stage ${name}`)
  return found
}

/** Returns the condition that the service knows the USD price of the coin of the stage's chain. */
export const coinPriceNeed = (stage: Stage, refusal: string): Need => ({
  name: `coin price of ${stage.name}`,
  refusal,
  isMet: (cut) => stageCutOf(cut, stage).coinPrice !== null,
})

/** Returns the USD price of the coin. The route must have `coinPriceNeed`. */
export function coinUsdOf({ coinPrice }: Pick<StageCut, 'coinPrice'>): number {
  assert(coinPrice, 'a route shows the price of a coin, but the cut has no price')
  return coinPrice.usd
}
