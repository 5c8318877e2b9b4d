/**
 * x402 for Koa: sells the bytes of one answer through a payment gate.
 *
 *     router.get('/v1/rh/bursts/live', async (ctx) => {
 *       // … every refusal first: 400, 404, 503 …
 *       await answerPaid(ctx, gate, {
 *         routeId: 'GET /v1/rh/bursts/live', requestId, priceUsdMicros: 10_000,
 *         description: 'Buyer bursts of the last hour', resourcePath: ctx.path + ctx.search, docsUrlOf: (code) => `https://…/${code}`,
 *         buildBody: async () => ({ bytes: Buffer.from(json), cutAtMs }),
 *       })
 *     })
 *
 * It sets PAYMENT-REQUIRED with 402, PAYMENT-RESPONSE, Age and `Cache-Control: private, no-store` with 200, `Retry-After`
 * with 503. A paid route answers HEAD with 402 and never runs or settles for it. Always JSON: there is no HTML paywall.
 */
import type { Context } from 'koa'
import type {
  BuiltBody,
  PaidOutcome,
  PaidResource,
  PaymentGate,
  PaymentOutcome,
  PaymentRequiredOutcome,
  UnavailableOutcome,
} from '../payments/payment.ts'

export type PaidAnswer = PaidResource &
  Readonly<{
    /** Where the error of a code is explained: the `docs` of a 402 or 503 body. */
    docsUrlOf: (code: string) => string
    /** The answer's bytes (JSON). Runs after the payment was verified, before the money moves. A throw is not charged and is rethrown. */
    buildBody: (paymentId: string) => Promise<BuiltBody>
    /** Who is asking; refused payments are limited by it. Default: the address of the client, as Koa sees it. */
    clientAddress?: string
    /** The clock of the cuts, for the Age header. Default: the wall clock. */
    nowMs?: () => number
    /** The same bytes at that cut, when the stored ones were dropped. */
    rebuildBody?: (cutAtMs: number, paymentId: string) => Promise<Buffer>
  }>

type Documented = Pick<PaidAnswer, 'docsUrlOf'>

/** Answers `ctx`. To be called last, after every refusal that has nothing to do with payment. */
export async function answerPaid(ctx: Context, gate: PaymentGate, answer: PaidAnswer): Promise<void> {
  const outcome = ctx.method === 'HEAD' ? await gate.requirePayment(answer) : await runFor(ctx, gate, answer)
  switch (outcome.kind) {
    case 'paid':
      return sendPaid(ctx, gate, { ...outcome, ageMs: (answer.nowMs ?? Date.now)() - outcome.cutAtMs })
    case 'paymentRequired':
      return sendPaymentRequired(ctx, outcome, answer)
    case 'unavailable':
      return sendUnavailable(ctx, outcome, answer)
    case 'clientGone':
      // The connection is gone.
      ctx.respond = false
      return
    case 'handlerFailed':
      throw outcome.error
    default:
      outcome satisfies never
  }
}

type SentHeader = Readonly<{ header: string }>

/** The sent header of each request as one value: the gate decodes a value once. */
const sentHeaders = new WeakMap<Context['req'], SentHeader>()

/** The PAYMENT-SIGNATURE header of a request as the gate takes it; null when there is none. The same value for a request. */
export function paymentOf(ctx: Context): SentHeader | null {
  const header = ctx.get('payment-signature')
  if (header === '') return null
  const sent = sentHeaders.get(ctx.req) ?? { header }
  sentHeaders.set(ctx.req, sent)
  return sent
}

/** Whether nobody is there any more to read the answer. A request whose body was read to its end is destroyed as well. */
export const isClientGone = (ctx: Context) => (): boolean =>
  (ctx.req.destroyed && !ctx.req.complete) || ctx.res.destroyed || ctx.req.socket.destroyed

/** Calls back once all bytes of the response are out. */
export function onceSent(ctx: Context, note: () => void): void {
  // Node says `finish` too when the connection broke and the rest of the bytes was thrown away.
  const { socket } = ctx.req
  ctx.res.once('finish', () => {
    if (!socket.destroyed && socket.errored === null) note()
  })
}

function runFor(ctx: Context, gate: PaymentGate, answer: PaidAnswer): Promise<PaymentOutcome> {
  return gate.run({
    ...answer,
    clientAddress: answer.clientAddress ?? ctx.ip,
    payment: paymentOf(ctx),
    isClientGone: isClientGone(ctx),
  })
}

function sendPaid(ctx: Context, gate: PaymentGate, outcome: PaidOutcome & Readonly<{ ageMs: number }>): void {
  onceSent(ctx, () => gate.markDelivered(outcome.paymentId))
  ctx.status = 200
  if (outcome.receiptHeader !== null) ctx.set('PAYMENT-RESPONSE', outcome.receiptHeader)
  ctx.set('Age', String(Math.max(0, Math.floor(outcome.ageMs / 1000))))
  sendJson(ctx, outcome.bytes)
}

function sendPaymentRequired(ctx: Context, outcome: PaymentRequiredOutcome, { docsUrlOf }: Documented): void {
  ctx.status = 402
  ctx.set('PAYMENT-REQUIRED', outcome.header)
  if (outcome.receiptHeader !== null) ctx.set('PAYMENT-RESPONSE', outcome.receiptHeader)
  sendJson(ctx, JSON.stringify({ ...outcome.body, code: outcome.code, docs: docsUrlOf(outcome.code) }))
}

function sendUnavailable(ctx: Context, outcome: UnavailableOutcome, { docsUrlOf }: Documented): void {
  ctx.status = 503
  ctx.set('Retry-After', String(outcome.retryAfterSec))
  sendJson(
    ctx,
    JSON.stringify({
      error: outcome.message,
      code: outcome.code,
      docs: docsUrlOf(outcome.code),
    }),
  )
}

function sendJson(ctx: Context, body: Buffer | string): void {
  ctx.set('Cache-Control', 'private, no-store')
  ctx.type = 'application/json'
  ctx.body = body
}
