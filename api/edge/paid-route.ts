/** One paid call. The order matters: every other refusal comes before the request to pay. */
import assert from 'node:assert/strict'
import type { Context } from 'koa'
import type { Cut, Cuts } from '../../projections/cuts.ts'
import { type PaymentGate, requestIdOf } from '../payments/payment.ts'
import { type Route, routeIdOf, stagesOf } from '../route.ts'
import { answerPaid, paymentOf } from '../x402-koa/answer-paid.ts'
import type { Answers } from './answers.ts'
import { judgeFreshness } from './freshness.ts'
import { clientId, writeRefusal } from './middleware.ts'
import { type Params, type ParamValues, parseParams } from './params.ts'
import { isRefusal, type Refusal, refuse } from './refusals.ts'

export type PaidRoutes = Readonly<{
  cuts: Cuts
  answers: Answers
  gate: PaymentGate
  publicBaseUrl: string
  nowMs: () => number
}>

export async function servePaid(ctx: Context, route: Route, paid: PaidRoutes): Promise<void> {
  const parsed = parseParams(route.params, { query: ctx.query, path: ctx.params })
  if ('refusal' in parsed) return writeRefusal(ctx, parsed.refusal, paid.publicBaseUrl)
  const { values } = parsed
  const routeId = routeIdOf(route)
  const requestId = requestIdOf(routeId, values)
  // An answer that was paid for is owed, whatever the data is like now and even if it cannot be read. It is made again at its own cut.
  const isOwed = () => paid.gate.isOwed({ payment: paymentOf(ctx), requestId })
  const ready = await readyToAnswer(route, values, paid).catch((error: unknown) => {
    if (!isOwed()) throw error
    return null
  })
  if (ready !== null && isRefusal(ready) && !isOwed()) return writeRefusal(ctx, ready, paid.publicBaseUrl)

  const description =
    ready === null || isRefusal(ready) ? route.description : await describe(route, values, { cut: ready, ...paid })
  await answerPaid(ctx, paid.gate, {
    routeId,
    requestId,
    priceUsdMicros: route.priceUsdMicros,
    description,
    // Not the URL: a request may name a host in it.
    resourcePath: `${ctx.path}${ctx.search}`,
    docsUrl: `${paid.publicBaseUrl}/`,
    clientAddress: clientId(ctx.ip),
    nowMs: paid.nowMs,
    buildBody: async () => {
      assert(ready !== null && !isRefusal(ready), 'an owed answer is made again, never anew')
      const bytes = await bytesAt(route, values, { cut: ready, answers: paid.answers })
      return { bytes, cutAtMs: ready.atMs }
    },
    rebuildBody: async (cutAtMs) => {
      const cut = await paid.cuts.at(cutAtMs, stagesOf(route))
      assert(cut !== null, `cut ${cutAtMs} was sold and is gone`)
      return bytesAt(route, values, { cut, answers: paid.answers })
    },
  })
}

/** The refusals between the parameters and the payment, in their order; without one, the cut to answer at. */
async function readyToAnswer(route: Route, values: ParamValues<Params>, paid: PaidRoutes): Promise<Cut | Refusal> {
  const cut = await paid.answers.newestCut(stagesOf(route))
  if (cut === null)
    return refuse('warming_up', 'the first data is still on its way; try again in a few seconds', retrySoonSec)
  const unmet = route.needs.find((need) => !need.isMet(cut))
  if (unmet) return refuse('warming_up', unmet.refusal, retrySoonSec)
  // Only a route with a path parameter can be asked for something unknown. The others compute nothing before payment.
  if (Object.values(route.params).some((param) => param.in === 'path')) {
    const answer = await paid.answers.answer(route, values, cut)
    if ('refusal' in answer) return answer.refusal
  }
  return judgeFreshness(route, cut, paid.nowMs()) ?? cut
}

const retrySoonSec = 5

/** What the 402 says of the resource. An answer that is asked for here has been computed already. */
async function describe(
  route: Route,
  values: ParamValues<Params>,
  { cut, answers }: Readonly<{ cut: Cut; answers: Answers }>,
): Promise<string> {
  if (route.offerNoteOf === undefined) return route.description
  const answer = await answers.answer(route, values, cut)
  return 'offerNote' in answer ? `${route.description} ${answer.offerNote}` : route.description
}

async function bytesAt(
  route: Route,
  values: ParamValues<Params>,
  { cut, answers }: Readonly<{ cut: Cut; answers: Answers }>,
): Promise<Buffer> {
  const answer = await answers.answer(route, values, cut)
  assert('bytes' in answer, `${route.pattern} was sold and is refused at its own cut`)
  return answer.bytes
}
