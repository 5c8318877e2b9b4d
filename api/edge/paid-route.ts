/** One paid call. The order matters: every other refusal comes before the request to pay. */
import assert from 'node:assert/strict'
import type { Context } from 'koa'
import type { Cut, Cuts } from '../../projections/cuts.ts'
import { type PaymentGate, requestIdOf } from '../payments/payment.ts'
import { type Route, routeIdOf, stageCutOf, stagesOf } from '../route.ts'
import { answerPaid, isClientGone, paymentOf } from '../x402-koa/answer-paid.ts'
import type { Answers } from './answers.ts'
import { judgeFreshness } from './freshness.ts'
import { clientId, writeRefusal } from './middleware.ts'
import { type Params, type ParamValues, parseParams } from './params.ts'
import type { Questions } from './questions.ts'
import { isRefusal, type Refusal, refuse } from './refusals.ts'
import type { Asker } from './turns.ts'

export type PaidRoutes = Readonly<{
  cuts: Cuts
  answers: Answers
  questions: Questions
  gate: PaymentGate
  publicBaseUrl: string
  nowMs: () => number
}>

/** A request to pay repeats the address of what is bought, twice. */
const urlLengthMax = 4_096

export async function servePaid(ctx: Context, route: Route, paid: PaidRoutes): Promise<void> {
  if (ctx.url.length > urlLengthMax)
    return writeRefusal(
      ctx,
      refuse('bad_param', `the URL is longer than ${urlLengthMax} characters`),
      paid.publicBaseUrl,
    )
  const parsed = parseParams(route.params, { query: ctx.query, path: ctx.params })
  if ('refusal' in parsed) return writeRefusal(ctx, parsed.refusal, paid.publicBaseUrl)
  const { values } = parsed
  const routeId = routeIdOf(route)
  const requestId = requestIdOf(routeId, values)
  const asker: Asker = { address: clientId(ctx.ip), isGone: isClientGone(ctx) }
  const request = { route, values, asker }
  // An answer that was paid for is owed, whatever the data is like now and even if it cannot be read. It is made again at its own cut.
  const isOwed = () => paid.gate.isOwed({ payment: paymentOf(ctx), requestId })
  const ready = isOwed()
    ? null
    : await readyToAnswer(request, paid).catch((error: unknown) => {
        if (!isOwed()) throw error
        return null
      })
  if (ready !== null && isRefusal(ready) && !isOwed()) return writeRefusal(ctx, ready, paid.publicBaseUrl)

  const description =
    ready === null || isRefusal(ready) ? route.description : await describe(request, ready, paid.answers)
  let isNew = false
  await answerPaid(ctx, paid.gate, {
    routeId,
    requestId,
    priceUsdMicros: route.priceUsdMicros,
    description,
    // Not the URL: a request may name a host in it.
    resourcePath: `${ctx.path}${ctx.search}`,
    docsUrl: `${paid.publicBaseUrl}/`,
    clientAddress: asker.address,
    nowMs: paid.nowMs,
    buildBody: async () => {
      assert(ready !== null && !isRefusal(ready), 'an owed answer is made again, never anew')
      isNew = true
      const bytes = await bytesAt(request, ready, paid.answers)
      return { bytes, cutAtMs: ready.atMs }
    },
    rebuildBody: (cutAtMs) =>
      paid.questions.repeat(asker.address, async () => {
        const cut = await paid.cuts.at(cutAtMs, stagesOf(route))
        assert(cut !== null, `cut ${cutAtMs} was sold and is gone`)
        return bytesAt(request, cut, paid.answers)
      }),
  })
  // A repeat is no purchase.
  if (isNew && ctx.status === 200) paid.questions.noteBought(asker.address)
}

type Request = Readonly<{ route: Route; values: ParamValues<Params>; asker: Asker }>

/** The refusals between the parameters and the payment, in their order; without one, the cut to answer at. */
async function readyToAnswer(request: Request, paid: PaidRoutes): Promise<Cut | Refusal> {
  const { route } = request
  const cut = await paid.answers.newestCut(stagesOf(route))
  if (cut === null)
    return refuse('warming_up', 'the first data is still on its way; try again in a few seconds', retrySoonSec)
  for (const need of route.needs) if (!(await need.isMet(cut))) return refuse('warming_up', need.refusal, retrySoonSec)
  return (await judgeSubject(request, cut, paid)) ?? judgeFreshness(route, cut, paid.nowMs()) ?? cut
}

const retrySoonSec = 5

/** What the 402 says of the resource. The answer about a subject has been found by now, so this computes nothing. */
async function describe({ route, values }: Request, cut: Cut, answers: Answers): Promise<string> {
  const answer = route.offerNoteOf === undefined ? null : await answers.find(route, values, cut)
  return answer !== null && 'offerNote' in answer ? `${route.description} ${answer.offerNote}` : route.description
}

/**
 * Only a route with a subject can be asked for something unknown; the others compute nothing before payment. What is tracked
 * nowhere costs no query. The answer about what may be is found, kept for the purchase, and can still be a refusal.
 */
async function judgeSubject(
  { route, values, asker }: Request,
  cut: Cut,
  { answers, questions }: PaidRoutes,
): Promise<Refusal | null> {
  if (!route.subject) return null
  const { param, stage, tracked, refusal } = route.subject
  const identifier = String(values[param])
  if (!(await tracked.mayHold(identifier, stageCutOf(cut, stage)))) return refusal(identifier)
  const answer =
    (await answers.find(route, values, cut)) ?? (await questions.ask(asker, () => answers.answer(route, values, cut)))
  if (isRefusal(answer)) return answer
  return 'refusal' in answer ? answer.refusal : null
}

async function bytesAt({ route, values }: Request, cut: Cut, answers: Answers): Promise<Buffer> {
  const answer = await answers.answer(route, values, cut)
  assert('bytes' in answer, `${route.pattern} was sold and is refused at its own cut`)
  return answer.bytes
}
