/**
 * A paid route as a value. The code that serves, checks, sells and documents routes reads these fields and names no
 * route.
 */
import assert from 'node:assert/strict'
import type { z } from 'zod'
import type { Cut, StageCut } from '../projections/cuts.ts'
import type { Stage } from '../schemas/stage.ts'
import type { DurationMs, EpochMs } from '../schemas/units.ts'
import { asOfParam, type Params, type ParamValues, type PathParam } from './sale/params.ts'
import type { Refusal, RefusalCode } from './sale/refusals.ts'

/** A stage that an answer is made from. */
export type RequiredSource = Readonly<{
  stage: Stage
  /** Names the data in the text of `data_stale`, for example `the newest complete block of chain A`. */
  newest: string
  /**
   * Maximum age of the data. The age is that of the newest block that every partition of the tables has passed, so it
   * covers a stop of the feed, of the stage, of one partition and of the sink.
   */
  maxAgeMs: DurationMs
  /** Whether an answer to these parameters depends on this stage. Default: always. */
  isFor?(values: ParamValues<Params>): boolean
}>

/**
 * A condition that must hold before the route can answer. It must be cheap, because every request checks it. If it does
 * not hold, the request is refused with `warming_up` and this text.
 */
export type Need = Readonly<{ name: string; refusal: string; isMet(cut: Cut): boolean | Promise<boolean> }>

/** How far back in time the route can be asked. */
export type History = Readonly<{
  /** Maximum distance from the newest cut. Null: as far back as the data is kept. */
  windowMs: DurationMs | null
  /** How far before its own instant an answer reads data. `newestAtMs`: instant of the newest cut. */
  lookBackMs: DurationMs | ((values: ParamValues<Params>, newestAtMs: EpochMs) => DurationMs)
}>

/** What the path names. An unknown subject is refused before the payment and costs no query. */
type Subject<Name extends string = string> = Readonly<{
  /** Name of the path parameter. */
  param: Name
  stage: Stage
  /** `mayHold` may return false only if `answer` would refuse at this cut. Chains create it with `createTracked`. */
  tracked: Readonly<{ mayHold(identifier: string, cut: StageCut): Promise<boolean> }>
  refusal(identifier: string): Refusal
}>

/** `values`: values of the route's parameters. */
export type Example = Readonly<{ values: Readonly<Record<string, number | string>>; body: object }>

type Sold<P extends Params, Schema extends z.ZodObject> = Readonly<{
  /** Canonical pattern with Koa's `:name`. The alias without `/v1` is served too. */
  pattern: `/v1/${string}`
  /** Name of the MCP tool. */
  tool: string
  description: string
  /** Whole micro-dollars: 10_000 is one cent. */
  priceUsdMicros: number
  params: P
  /** Schema of the body. Each field has its availability and description; see `resource.ts`. */
  schema: Schema
  /** Example answer for documents and catalogues. Chains add it with `withExample`. */
  example?(): Promise<Example>
  /** Refusal codes of this route alone. The other fields imply the rest. */
  refusals?: readonly RefusalCode[]
}>

type Described<P extends Params, Schema extends z.ZodObject> = Sold<P, Schema> &
  Readonly<{
    isPersonal?: undefined
    /** The stages that the cut of an answer covers, except those whose `isFor` is false for its parameters. */
    dependsOn: readonly [RequiredSource, ...RequiredSource[]]
    needs: readonly Need[]
    history: History
    /**
     * Only for answers that are computed once an hour: the instant up to which the answer at this cut is complete, or
     * null without such an answer. It may be no older than `maxAgeMs` of the dependencies.
     */
    toldUntil?: ((cut: Cut) => Promise<number | null>) | undefined
    /**
     * Returns the body, or the refusal for these parameters. Depends only on the values and the cut, so the same cut
     * gives the same bytes again.
     */
    answer(values: ParamValues<P>, cut: Cut): Promise<z.output<Schema> | Refusal>
  }>

/** Only a route with a path parameter can be asked about something unknown, so it must have a subject. */
export type RouteOf<P extends Params, Schema extends z.ZodObject> = Described<P, Schema> &
  ([Extract<P[keyof P], PathParam>] extends [never]
    ? Readonly<{ subject?: undefined }>
    : Readonly<{ subject: Subject<keyof P & string> }>)

/** A route that sells a body made for one payment, such as a stream pass, instead of an answer about data. */
type PersonalRouteOf<P extends Params, Schema extends z.ZodObject> = Sold<P, Schema> &
  Readonly<{
    isPersonal: true
    dependsOn: readonly []
    needs: readonly []
    subject?: undefined
    /** Why the body is not sold now, or null. Called right after the parameters were parsed. */
    refusal(): Refusal | null
    /** Depends only on its arguments, so the same payment buys the same bytes again. */
    issue(values: ParamValues<P>, sale: PersonalSale): z.output<Schema>
  }>

/** `soldAtMs`: when the payment was first taken. */
type PersonalSale = Readonly<{ soldAtMs: EpochMs; paymentId: string }>

export type AnsweredRoute = Described<Params, z.ZodObject> & Readonly<{ subject?: Subject | undefined }>
export type PersonalRoute = PersonalRouteOf<Params, z.ZodObject>
export type Route = AnsweredRoute | PersonalRoute

/**
 * Checks the types of a route against its own parameters and schema; a list of routes could not do this. Also adds
 * `asOf` to the parameters: the caller turns it into a cut, so `answer` does not see it.
 */
export const route = <const P extends Params, Schema extends z.ZodObject>(
  definition: RouteOf<P, Schema>,
): AnsweredRoute => {
  const checked = definition as unknown as AnsweredRoute
  assert(!('asOf' in definition.params), 'every route has this parameter already')
  return { ...checked, params: { ...definition.params, asOf: asOfParam } }
}

/** Like `route`, for a personal route. */
export const personalRoute = <const P extends Params, Schema extends z.ZodObject>(
  definition: PersonalRouteOf<P, Schema>,
): PersonalRoute => definition as unknown as PersonalRoute

/** `GET /v1/rh/pools/{id}/flow`: the id of the route in payments, statistics and documents. Aliases share it. */
export const routeIdOf = ({ pattern }: Pick<Route, 'pattern'>): string => `GET ${pattern.replace(/:(\w+)/g, '{$1}')}`

type Depending = Readonly<{ dependsOn: readonly RequiredSource[] }>

/** All stages that answers of the route can depend on. */
export const stagesOf = ({ dependsOn }: Depending): readonly Stage[] => dependsOn.map(({ stage }) => stage)

/** The stages that an answer to these parameters depends on. */
export const requiredSourcesFor = ({ dependsOn }: Depending, values: ParamValues<Params>): readonly RequiredSource[] =>
  dependsOn.filter(({ isFor }) => isFor?.(values) ?? true)

export const stagesFor = (route: Depending, values: ParamValues<Params>): readonly Stage[] =>
  stagesOf({ dependsOn: requiredSourcesFor(route, values) })

/** Returns the part of a cut that belongs to one stage. Fails if the cut does not cover the stage. */
export function stageCutOf(cut: Cut, { name }: Pick<Stage, 'name'>): StageCut {
  const found = cut.stages[name]
  assert(found, `the cut does not cover stage ${name}`)
  return found
}

/** The need for the USD price of the stage's coin. */
export const coinPriceNeed = (stage: Stage, refusal: string): Need => ({
  name: `coin price of ${stage.name}`,
  refusal,
  isMet: (cut) => stageCutOf(cut, stage).coinPrice !== null,
})

/** USD price of the coin. The route must have `coinPriceNeed`. */
export function coinUsdOf({ coinPrice }: Pick<StageCut, 'coinPrice'>): number {
  assert(coinPrice, 'a route that shows the price of a coin needs it')
  return coinPrice.usd
}
