import type { Context } from 'koa'
import { clientId, writeRefusal } from '../http/middleware.ts'
import type { PaymentOutcome } from '../payments/payment.ts'
import type { Route } from '../route.ts'
import { routeDiscovery } from '../sale/discovery.ts'
import { type ExampleSubjects, type PathValues, pathWith } from '../sale/example-subjects.ts'
import { errorPageUrl, isRefusal, type Refusal, RefusedSale, refuse } from '../sale/refusals.ts'
import { prepareSale, type SaleDependencies } from '../sale/sale.ts'
import type { AnswerSigner } from '../signing/sign-answer.ts'
import { answerPaid, paymentOf } from '../x402-koa/answer-paid.ts'
import { placeholderIn, refusePlaceholder } from './template-path.ts'

export type PaidRoutes = SaleDependencies &
  Readonly<{
    subjects: ExampleSubjects
    publicBaseUrl: string
    /** Default: no answer is signed. */
    sign?: AnswerSigner
  }>

/** The maximum length of a URL in characters. It is limited because a 402 answer contains the URL twice. */
const urlLengthMax = 4_096

export async function servePaid(ctx: Context, route: Route, paid: PaidRoutes): Promise<void> {
  const { gate, publicBaseUrl, nowMs, sign } = paid
  if (ctx.url.length > urlLengthMax)
    return writeRefusal(
      ctx,
      refuse(
        'bad_param',
        `the URL has ${ctx.url.length} characters, and the limit is ${urlLengthMax}. Send a shorter URL`,
      ),
      publicBaseUrl,
    )
  const asked = askedPath(ctx, route, paid)
  if (isRefusal(asked)) return writeRefusal(ctx, asked, publicBaseUrl)
  const address = clientId(ctx.ip)
  const sale = await prepareSale(
    {
      route,
      raw: { query: ctx.query, path: asked.values },
      payment: paymentOf(ctx),
      address,
      // `ctx.href` is not used, because a client can put any host into the URL of its request.
      resourcePath: `${asked.path}${ctx.search}`,
    },
    paid,
  )
  if (isRefusal(sale)) return writeRefusal(ctx, sale, publicBaseUrl)
  const docsUrlOf = (code: string) => errorPageUrl(publicBaseUrl, code)
  const discovery = await routeDiscovery(route, asked.values)
  try {
    const outcome = await answerPaid(ctx, gate, { discovery, clientAddress: address, nowMs, docsUrlOf, ...sale })
    if (isAfterPayment(outcome)) await sign?.(ctx)
  } catch (error) {
    if (!(error instanceof RefusedSale)) throw error
    writeRefusal(ctx, error.refusal, publicBaseUrl)
    await sign?.(ctx)
  }
}

/**
 * Whether the outcome says what became of a payment that was verified. Only these outcomes are signed. Anyone can cause
 * the others for free.
 */
function isAfterPayment(outcome: PaymentOutcome): boolean {
  switch (outcome.kind) {
    case 'paid':
      return true
    case 'paymentRequired':
      // The receipt of a settlement that was refused.
      return outcome.receiptHeader !== null
    case 'unavailable':
      return outcome.reason === 'outcome_unknown' || outcome.reason === 'answer_delayed'
    default:
      return false
  }
}

type AskedPath = Readonly<{ path: string; values: PathValues }>

/**
 * Returns the path of the request. If the path has a placeholder, a request without a payment gets the quote
 * for a subject that the service tracks now. The quote names the URL of this subject.
 */
function askedPath(ctx: Context, route: Route, { subjects }: PaidRoutes): AskedPath | Refusal {
  const param = placeholderIn(route, ctx.params)
  if (param === null) return { path: ctx.path, values: ctx.params }
  if (paymentOf(ctx) !== null) return refusePlaceholder(param)
  const values = subjects.lastFound(route)
  return values === null ? { path: ctx.path, values: ctx.params } : { path: pathWith(route, values), values }
}
