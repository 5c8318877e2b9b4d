/**
 * One paid call, free of any transport: the refusals that come before the payment, in their order, and what the payment
 * gate needs to sell the answer. HTTP routes and MCP tools sell through it.
 */
import assert from 'node:assert/strict'
import type { Cut, Cuts } from '../../projections/cuts.ts'
import { type PaidRequest, type PaidResource, type PaymentGate, requestIdOf } from '../payments/payment.ts'
import {
  type AnsweredRoute,
  dependenciesFor,
  type PersonalRoute,
  type Route,
  routeIdOf,
  stageCutOf,
  stagesFor,
} from '../route.ts'
import type { Answers } from './answers.ts'
import { judgeEdition, judgeFreshness } from './freshness.ts'
import { type Params, type ParamValues, parseParams, type RawParams } from './params.ts'
import type { Questions } from './questions.ts'
import { isRefusal, type Refusal, RefusedSale, refuse } from './refusals.ts'
import type { Asker } from './turns.ts'

export type SaleTools = Readonly<{
  cuts: Cuts
  answers: Answers
  questions: Questions
  gate: PaymentGate
  nowMs: () => number
}>

export type Call = Readonly<{
  route: Route
  /** As the client wrote them. */
  raw: Readonly<{ query: RawParams; path: RawParams }>
  /** As it arrived, or null. Read again before each refusal: a concurrent copy may have been taken meanwhile. */
  payment: PaidRequest['payment']
  asker: Asker
  /** What the 402 names as bought, behind the public base address: path and query. */
  resourcePath: string
}>

/** What the gate sells. */
export type Sale = PaidResource &
  Readonly<{
    buildBody: PaidRequest['buildBody']
    rebuildBody: NonNullable<PaidRequest['rebuildBody']>
  }>

/**
 * The refusals that come before the request to pay. What is tracked is known in memory, so a request to pay costs no query; that
 * there is nothing to show of it is found out once the payment is verified, and not charged.
 */
export async function prepareSale(call: Call, tools: SaleTools): Promise<Sale | Refusal> {
  const { route, raw, payment, asker, resourcePath } = call
  const parsed = parseParams(route.params, raw)
  if ('refusal' in parsed) return parsed.refusal
  const { values } = parsed
  const routeId = routeIdOf(route)
  const requestId = requestIdOf(routeId, values)
  const paid = { routeId, requestId, priceUsdMicros: route.priceUsdMicros, resourcePath }
  if (route.isPersonal) return preparePersonal({ route, values, payment, paid }, tools)
  const request = { route, values, asker }
  // An answer that was paid for is owed, whatever the data is like now and even if it cannot be read. It is made again at its own cut.
  const isOwed = () => tools.gate.isOwed({ payment, requestId })
  const ready = isOwed()
    ? null
    : await readyToAnswer(request, tools).catch((error: unknown) => {
        if (!isOwed()) throw error
        return null
      })
  if (ready !== null && isRefusal(ready) && !isOwed()) return ready
  const cut = ready === null || isRefusal(ready) ? null : ready
  return { ...paid, description: route.description, ...bodiesOf(request, cut, tools) }
}

type PersonalCall = Pick<Call, 'payment'> &
  Readonly<{ route: PersonalRoute; values: ParamValues<Params>; paid: Omit<PaidResource, 'description'> }>

/** What is made for a payment is made of it and of the instant at which it was taken: nothing is asked, nothing kept. */
function preparePersonal(call: PersonalCall, { gate, nowMs }: SaleTools): Sale | Refusal {
  const { route, values, payment, paid } = call
  const refusal = route.refusal()
  if (refusal !== null && !gate.isOwed({ payment, requestId: paid.requestId })) return refusal
  const bytesOf = (soldAtMs: number, paymentId: string) =>
    Buffer.from(JSON.stringify(route.issue(values, { soldAtMs, paymentId })))
  return {
    ...paid,
    description: route.description,
    buildBody: async (paymentId) => {
      const soldAtMs = nowMs()
      return { bytes: bytesOf(soldAtMs, paymentId), cutAtMs: soldAtMs }
    },
    rebuildBody: async (cutAtMs, paymentId) => bytesOf(cutAtMs, paymentId),
  }
}

/** The answer at the cut that was found ready, and the same bytes again at a cut that was sold. */
function bodiesOf(
  request: Request,
  ready: Cut | null,
  { cuts, answers, questions }: SaleTools,
): Pick<Sale, 'buildBody' | 'rebuildBody'> {
  const { route, values, asker } = request
  return {
    buildBody: async () => {
      assert(ready !== null, 'an owed answer is made again, never anew')
      const answer =
        (await answers.find(route, values, ready)) ??
        (await questions.ask(asker, () => answers.answer(route, values, ready)))
      if (isRefusal(answer)) throw new RefusedSale(answer)
      if ('refusal' in answer) throw new RefusedSale(answer.refusal)
      return { bytes: answer.bytes, cutAtMs: ready.atMs }
    },
    rebuildBody: (cutAtMs) =>
      questions.repeat(asker.address, async () => {
        const cut = await cuts.at(cutAtMs, stagesFor(route, values))
        assert(cut !== null, `cut ${cutAtMs} was sold and is gone`)
        return bytesAt(request, cut, answers)
      }),
  }
}

type Request = Readonly<{ route: AnsweredRoute; values: ParamValues<Params>; asker: Asker }>

/** The refusals between the parameters and the payment, in their order; without one, the cut to answer at. */
async function readyToAnswer(request: Request, tools: SaleTools): Promise<Cut | Refusal> {
  const { route, values } = request
  const cut = await tools.answers.newestCut(stagesFor(route, values))
  if (cut === null)
    return refuse('warming_up', 'the first data is still on its way; try again in a few seconds', retrySoonSec)
  for (const need of route.needs) if (!(await need.isMet(cut))) return refuse('warming_up', need.refusal, retrySoonSec)
  return (
    // What an hourly answer is made of is so far behind at the cut itself that it can deny nothing.
    (await judgeEdition(route, cut, cut.atMs)) ??
    (await judgeSubject(request, cut)) ??
    judgeFreshness(dependenciesFor(route, values), cut, tools.nowMs()) ??
    (await judgeEdition(route, cut, tools.nowMs())) ??
    cut
  )
}

const retrySoonSec = 5

/**
 * Only a route with a subject can be asked for something unknown. What is tracked nowhere costs no query; of what may be, the
 * answer can still be a refusal.
 */
async function judgeSubject({ route, values }: Request, cut: Cut): Promise<Refusal | null> {
  if (!route.subject) return null
  const { param, stage, tracked, refusal } = route.subject
  const identifier = String(values[param])
  return (await tracked.mayHold(identifier, stageCutOf(cut, stage))) ? null : refusal(identifier)
}

async function bytesAt({ route, values }: Request, cut: Cut, answers: Answers): Promise<Buffer> {
  const answer = await answers.answer(route, values, cut)
  assert('bytes' in answer, `${route.pattern} was sold and is refused at its own cut`)
  return answer.bytes
}
