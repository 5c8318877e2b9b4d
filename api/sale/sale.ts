/**
 * The sale of one answer, independent of the transport. It checks the refusals before the payment in their
 * order. It then prepares the data with which the payment gate sells the answer. HTTP routes and MCP tools
 * use this module.
 */
import assert from 'node:assert/strict'
import type { Cut, Cuts } from '../../projections/cuts.ts'
import type { EpochMs } from '../../schemas/units.ts'
import { type PaidRequest, type PaidResource, type PaymentGate, requestIdOf } from '../payments/payment.ts'
import {
  type AnsweredRoute,
  type PersonalRoute,
  type Route,
  requiredSourcesFor,
  routeIdOf,
  stageCutOf,
  stagesFor,
} from '../route.ts'
import type { Answers } from './answers.ts'
import { cutAsOf, judgeAsOf } from './as-of.ts'
import { judgeEdition, judgeFreshness } from './freshness.ts'
import { type Params, type ParamValues, parseParams, type RawParams } from './params.ts'
import type { Questions } from './questions.ts'
import { isRefusal, type Refusal, RefusedSale, refuse } from './refusals.ts'

export type SaleDependencies = Readonly<{
  cuts: Cuts
  answers: Answers
  questions: Questions
  gate: PaymentGate
  nowMs: () => EpochMs
}>

export type Call = Readonly<{
  route: Route
  /** The parameters as the client sent them. */
  raw: Readonly<{ query: RawParams; path: RawParams }>
  /**
   * The payment as it arrived, or null. A copy of the payment may arrive at the same time. So before each
   * refusal, the sale checks again whether the answer was already paid for.
   */
  payment: PaidRequest['payment']
  /** Identifies the client for fair turns. */
  address: string
  /** The path and query of the bought resource, relative to the public base URL. */
  resourcePath: string
}>

/** The resource, and the functions with which the payment gate builds its body. */
export type Sale = PaidResource &
  Readonly<{
    buildBody: PaidRequest['buildBody']
    rebuildBody: NonNullable<PaidRequest['rebuildBody']>
    dateWhenSent?: () => EpochMs
  }>

/**
 * Checks the refusals that come before the 402 response. The tokens, pools and wallets with data are kept in
 * memory, so a 402 response costs no query. After the payment was verified, a query checks whether there is
 * any data. If there is none, the payment is not charged.
 */
export async function prepareSale(call: Call, dependencies: SaleDependencies): Promise<Sale | Refusal> {
  const { route, raw, payment, address, resourcePath } = call
  const parsed = parseParams(route.params, raw)
  if ('refusal' in parsed) return parsed.refusal
  const routeId = routeIdOf(route)
  // The id includes `asOf` if it is given, because the same query at another instant is another purchase.
  const requestId = requestIdOf(routeId, parsed.values)
  const paid = { routeId, requestId, priceUsdMicros: route.priceUsdMicros, resourcePath }
  if (route.isPersonal) return preparePersonal({ route, values: parsed.values, payment, paid }, dependencies)
  const { asOf, ...values } = parsed.values
  const request = { route, values, asOfMs: asOf === undefined ? null : Number(asOf), address }
  // A paid answer is owed even if the data is too old or cannot be read now. Owed answers are rebuilt for the
  // time of the first answer.
  const isOwed = () => dependencies.gate.isOwed({ payment, requestId })
  const ready = isOwed()
    ? null
    : await readyToAnswer(request, dependencies).catch((error: unknown) => {
        if (!isOwed()) throw error
        return null
      })
  if (ready !== null && isRefusal(ready) && !isOwed()) return ready
  const instant = ready === null || isRefusal(ready) ? null : ready
  return { description: route.description, ...paid, ...bodiesOf(request, instant, dependencies) }
}

type PersonalCall = Pick<Call, 'payment'> &
  Readonly<{ route: PersonalRoute; values: ParamValues<Params>; paid: Omit<PaidResource, 'description'> }>

/**
 * Prepares the sale of a personal body. The body depends only on the parameters, the payment and the time at which it is first sent. So it
 * needs no query. Its time counts from when the buyer can have it, and not from before the payment settled.
 */
function preparePersonal(call: PersonalCall, { gate, nowMs }: SaleDependencies): Sale | Refusal {
  const { route, values, payment, paid } = call
  const refusal = route.refusal()
  if (refusal !== null && !gate.isOwed({ payment, requestId: paid.requestId })) return refusal
  const bytesOf = (soldAtMs: EpochMs, paymentId: string) =>
    Buffer.from(JSON.stringify(route.issue(values, { soldAtMs, paymentId })))
  return {
    description: route.description,
    buildBody: async (paymentId) => {
      const soldAtMs = nowMs()
      return { bytes: bytesOf(soldAtMs, paymentId), cutAtMs: soldAtMs }
    },
    rebuildBody: async (cutAtMs, paymentId) => bytesOf(cutAtMs, paymentId),
    dateWhenSent: nowMs,
    ...paid,
  }
}

/**
 * Returns two functions. One builds the answer for the requested time. The other rebuilds the same bytes for
 * the time of an answer that was sold. `instant`: null for a payment that was owed an answer when it arrived. Until its
 * answer is built, such a payment can expire, or turn out to be unsettled. Then it is sold like a new one.
 */
function bodiesOf(
  request: Request,
  instant: Instant | null,
  dependencies: SaleDependencies,
): Pick<Sale, 'buildBody' | 'rebuildBody'> {
  const { cuts, answers, questions } = dependencies
  const { route, values, address } = request
  return {
    buildBody: async (_paymentId, isGone) => {
      const ready = instant ?? (await readyToAnswer(request, dependencies))
      if (isRefusal(ready)) throw new RefusedSale(ready)
      const answer =
        (await answers.find(route, values, ready)) ??
        (await questions.ask({ address, isGone }, route, async () => {
          const cut = await ready.cut()
          return isRefusal(cut) ? cut : answers.answer(route, values, cut)
        }))
      if (isRefusal(answer)) throw new RefusedSale(answer)
      if ('refusal' in answer) throw new RefusedSale(answer.refusal)
      return { bytes: answer.bytes, cutAtMs: ready.atMs }
    },
    rebuildBody: (cutAtMs) =>
      questions.repeat(address, async () => {
        const cut = await cuts.at(cutAtMs, stagesFor(route, values))
        assert(cut !== null, `an answer was sold at the cut ${cutAtMs}, which is no longer available`)
        return bytesAt(request, cut, answers)
      }),
  }
}

/** `values` do not contain `asOf`, which routes do not see. `asOfMs`: null for the newest data. */
type Request = Readonly<{ route: AnsweredRoute; values: ParamValues<Params>; asOfMs: EpochMs | null; address: string }>

/**
 * The time of an answer. For a past time, the state of the data (`cut`) is looked up only after the payment
 * was verified.
 */
type Instant = Readonly<{ atMs: EpochMs; cut(): Promise<Cut | Refusal> }>

/**
 * Checks the reasons for a refusal that come after the parameters and before the payment, in their order.
 * Without a refusal, returns the time of the answer.
 */
async function readyToAnswer(request: Request, dependencies: SaleDependencies): Promise<Instant | Refusal> {
  const { route, values, asOfMs } = request
  const stages = stagesFor(route, values)
  const cut = await dependencies.answers.newestCut(stages)
  if (cut === null) return refuse('warming_up', 'the service has no data yet. Try again in a few seconds', retrySoonSec)
  if (asOfMs === null)
    return (await judgeNewest(request, cut, dependencies)) ?? { atMs: cut.atMs, cut: () => Promise.resolve(cut) }
  // An answer about the past cannot be stale, so its freshness is not checked. It is also not checked whether
  // the service had data about the requested token, pool or wallet, because only the tables contain this.
  const oldestAtMs = (await dependencies.answers.oldestAtMs(stages)) ?? cut.atMs
  const kept = { oldestAtMs, newestAtMs: cut.atMs }
  return (
    judgeAsOf({ ...request, asOfMs }, kept) ?? { atMs: asOfMs, cut: () => cutAsOf(request, asOfMs, dependencies.cuts) }
  )
}

/** Returns null if an answer from the newest data can be sold, and otherwise the refusal. */
async function judgeNewest(request: Request, cut: Cut, dependencies: SaleDependencies): Promise<Refusal | null> {
  const { route, values } = request
  for (const need of route.needs) if (!(await need.isMet(cut))) return refuse('warming_up', need.refusal, retrySoonSec)
  return (
    // This check comes before the check of the subject, which is the token, pool or wallet in the path. If
    // the hourly data is too old, the subject may be missing from it. The refusal `not_tracked` could then be
    // wrong.
    (await judgeEdition(route, cut, cut.atMs)) ??
    (await judgeSubject(request, cut)) ??
    judgeFreshness(requiredSourcesFor(route, values), cut, dependencies.nowMs()) ??
    (await judgeEdition(route, cut, dependencies.nowMs()))
  )
}

const retrySoonSec = 5

/**
 * Refuses a subject (a token, pool or wallet) for which the service certainly has no data, without a query.
 * For any other subject, the answer can still be a refusal. A route without a subject needs no check.
 */
async function judgeSubject({ route, values }: Request, cut: Cut): Promise<Refusal | null> {
  if (!route.subject) return null
  const { param, stage, tracked, refusal } = route.subject
  const identifier = String(values[param])
  return (await tracked.mayHold(identifier, stageCutOf(cut, stage))) ? null : refusal(identifier)
}

async function bytesAt({ route, values }: Request, cut: Cut, answers: Answers): Promise<Buffer> {
  const answer = await answers.answer(route, values, cut)
  assert('bytes' in answer, `an answer of ${route.pattern} was sold, but the route now refuses it at the same cut`)
  return answer.bytes
}
