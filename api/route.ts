/**
 * A paid route as a value. All that is known of it stands here: what serves routes, judges them, sells them and describes
 * them reads these fields and names no route.
 */
import assert from 'node:assert/strict'
import type { z } from 'zod'
import type { Cut, StageCut } from '../projections/cuts.ts'
import type { Stage } from '../schemas/stage.ts'
import { asOfParam, type Params, type ParamValues, type PathParam } from './sale/params.ts'
import type { Refusal, RefusalCode } from './sale/refusals.ts'

/** A stage that an answer is made from. */
export type Dependency = Readonly<{
  stage: Stage
  /** What is too old when the stage is stale: `the newest complete block of chain A`. */
  newest: string
  /**
   * Data older than this is not sold. The age is that of the newest block that every partition of the tables has passed, so
   * it covers all that can stop: the feed, the stage, one partition, the sink.
   */
  maxAgeMs: number
  /** Whether an answer to these parameters is made from it. Default: every one is. */
  isFor?(values: ParamValues<Params>): boolean
}>

/**
 * What must be known before a route can answer: cheap, and asked of every request. Unmet, the route is refused with
 * `warming_up` and this text.
 */
export type Need = Readonly<{ name: string; refusal: string; isMet(cut: Cut): boolean | Promise<boolean> }>

/** How far back an answer can be asked for. */
export type History = Readonly<{
  /** So long before the newest cut at most. Null: as far back as all is kept that it is made from. */
  windowMs: number | null
  /** So long before its instant an answer looks for what it is made from. `newestAtMs`: of the newest cut. */
  lookBackMs: number | ((values: ParamValues<Params>, newestAtMs: number) => number)
}>

/** What the path names. That nothing is known of it is found out before the request to pay, and costs no query. */
type Subject<Name extends string = string> = Readonly<{
  /** The parameter that names it. */
  param: Name
  stage: Stage
  /** `mayHold` is false only where `answer` would refuse at this cut. A chain makes one with `createTracked`. */
  tracked: Readonly<{ mayHold(identifier: string, cut: StageCut): Promise<boolean> }>
  refusal(identifier: string): Refusal
}>

/** `values`: of the route's parameters. */
export type Example = Readonly<{ values: Readonly<Record<string, number | string>>; body: object }>

type Sold<P extends Params, Schema extends z.ZodObject> = Readonly<{
  /** Canonical, with Koa's `:name`; the alias without `/v1` is served too. */
  pattern: `/v1/${string}`
  /** The name of its tool over MCP. */
  tool: string
  description: string
  /** Whole micro-dollars: 10_000 is one cent. */
  priceUsdMicros: number
  params: P
  /** Of the body, every field with its availability and description: see `resource.ts`. */
  schema: Schema
  /** What documents and catalogues show of an answer; chains give it to their routes with `withExample`. */
  example?(): Promise<Example>
  /** Of the route alone, beside those that its other fields tell of. */
  refusals?: readonly RefusalCode[]
}>

type Described<P extends Params, Schema extends z.ZodObject> = Sold<P, Schema> &
  Readonly<{
    isPersonal?: undefined
    /** The cut of an answer covers these stages and no others, as far as they are for its parameters. */
    dependsOn: readonly [Dependency, ...Dependency[]]
    needs: readonly Need[]
    history: History
    /**
     * Of answers that are made once an hour: the instant up to which the one at this cut tells all, null without one. It may be no
     * older than what the route depends on.
     */
    toldUntil?: ((cut: Cut) => Promise<number | null>) | undefined
    /**
     * The body, or why there is none for these parameters. Depends on nothing but the values and the cut, so that the
     * same cut gives the same bytes again.
     */
    answer(values: ParamValues<P>, cut: Cut): Promise<z.output<Schema> | Refusal>
  }>

/** A route with a path parameter, the only kind that can be asked about something unknown, has a subject. */
export type RouteOf<P extends Params, Schema extends z.ZodObject> = Described<P, Schema> &
  ([Extract<P[keyof P], PathParam>] extends [never]
    ? Readonly<{ subject?: undefined }>
    : Readonly<{ subject: Subject<keyof P & string> }>)

/** Sells a body that is made for one payment and is no answer about data. */
type PersonalRouteOf<P extends Params, Schema extends z.ZodObject> = Sold<P, Schema> &
  Readonly<{
    isPersonal: true
    dependsOn: readonly []
    needs: readonly []
    subject?: undefined
    /** Why it is not sold now. Asked right after the parameters were read. */
    refusal(): Refusal | null
    /** Depends on nothing but its arguments, so that the same payment buys the same bytes again. */
    issue(values: ParamValues<P>, sale: PersonalSale): z.output<Schema>
  }>

/** `soldAtMs`: when the payment was taken first. */
type PersonalSale = Readonly<{ soldAtMs: number; paymentId: string }>

export type AnsweredRoute = Described<Params, z.ZodObject> & Readonly<{ subject?: Subject | undefined }>
export type PersonalRoute = PersonalRouteOf<Params, z.ZodObject>
export type Route = AnsweredRoute | PersonalRoute

/**
 * Checks a route against its own parameters and schema, which a list of routes could not. Every one can be asked as of an instant:
 * that is a matter of the cut, and `answer` knows nothing of it.
 */
export const route = <const P extends Params, Schema extends z.ZodObject>(
  definition: RouteOf<P, Schema>,
): AnsweredRoute => {
  const checked = definition as unknown as AnsweredRoute
  assert(!('asOf' in definition.params), 'every route has this parameter already')
  return { ...checked, params: { ...definition.params, asOf: asOfParam } }
}

/** As `route`, of what is no answer at a cut. */
export const personalRoute = <const P extends Params, Schema extends z.ZodObject>(
  definition: PersonalRouteOf<P, Schema>,
): PersonalRoute => definition as unknown as PersonalRoute

/** `GET /v1/rh/pools/{id}/flow`: the route as payments, statistics and documents name it; aliases share it. */
export const routeIdOf = ({ pattern }: Pick<Route, 'pattern'>): string => `GET ${pattern.replace(/:(\w+)/g, '{$1}')}`

type Depending = Readonly<{ dependsOn: readonly Dependency[] }>

/** The stages of every answer of the route. */
export const stagesOf = ({ dependsOn }: Depending): readonly Stage[] => dependsOn.map(({ stage }) => stage)

/** What an answer to these parameters is made from. */
export const dependenciesFor = ({ dependsOn }: Depending, values: ParamValues<Params>): readonly Dependency[] =>
  dependsOn.filter(({ isFor }) => isFor?.(values) ?? true)

export const stagesFor = (route: Depending, values: ParamValues<Params>): readonly Stage[] =>
  stagesOf({ dependsOn: dependenciesFor(route, values) })

/** The part of a cut that belongs to one of the stages it was made for. */
export function stageCutOf(cut: Cut, { name }: Pick<Stage, 'name'>): StageCut {
  const found = cut.stages[name]
  assert(found, `the cut does not cover stage ${name}`)
  return found
}

/** The price of a stage's coin in USD. */
export const coinPriceNeed = (stage: Stage, refusal: string): Need => ({
  name: `coin price of ${stage.name}`,
  refusal,
  isMet: (cut) => stageCutOf(cut, stage).coinPrice !== null,
})

/** For answers of a route that has `coinPriceNeed`. */
export function coinUsdOf({ coinPrice }: Pick<StageCut, 'coinPrice'>): number {
  assert(coinPrice, 'a route that shows the price of a coin needs it')
  return coinPrice.usd
}
