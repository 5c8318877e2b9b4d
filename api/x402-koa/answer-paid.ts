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
 * Headers: PAYMENT-REQUIRED with 402, PAYMENT-RESPONSE, Age and Answer-Cut with 200, `Retry-After` with 503, and `Cache-Control: private,
 * no-store` with all of them. A paid route answers HEAD with 402, and builds and settles nothing for it. Every body is JSON:
 * there is no HTML paywall.
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
    /** The URL of the page about an error code, which is `docs` in the body of a 402 or 503. */
    docsUrlOf: (code: string) => string
    /**
     * Builds the answer's bytes (JSON). Called after the payment was verified and before the money moves. If it throws,
     * nothing is charged, and the error is thrown again. `isGone`: whether every client that sent the payment has
     * disconnected.
     */
    buildBody: (paymentId: string, isGone: () => boolean) => Promise<BuiltBody>
    /** Identifies the client for the limits on refused payments. Default: the client's address as Koa sees it. */
    clientAddress?: string
    /**
     * The clock for the Age header. It must be the same clock that gives `cutAtMs`. Default: the wall clock.
     */
    nowMs?: () => number
    /** Rebuilds the same bytes at `cutAtMs` if the stored bytes were dropped. */
    rebuildBody?: (cutAtMs: number, paymentId: string) => Promise<Buffer>
    /**
     * Returns the cut of an answer whose cut is the time at which it is first sent. Only `rebuildBody` then makes the
     * answer.
     */
    dateWhenSent?: () => number
  }>

type Documented = Pick<PaidAnswer, 'docsUrlOf'>

/**
 * Answers `ctx`, and returns how the payment ended. Must be called after every refusal that does not concern the payment.
 */
export async function answerPaid(ctx: Context, gate: PaymentGate, answer: PaidAnswer): Promise<PaymentOutcome> {
  const outcome = ctx.method === 'HEAD' ? await gate.requirePayment(answer) : await runFor(ctx, gate, answer)
  send(ctx, gate, { outcome, answer })
  return outcome
}

type Sending = Readonly<{ outcome: PaymentOutcome; answer: PaidAnswer }>

function send(ctx: Context, gate: PaymentGate, { outcome, answer }: Sending): void {
  switch (outcome.kind) {
    case 'paid':
      sendPaid(ctx, gate, { ageMs: (answer.nowMs ?? Date.now)() - outcome.cutAtMs, ...outcome })
      break
    case 'paymentRequired':
      sendPaymentRequired(ctx, outcome, answer)
      break
    case 'unavailable':
      sendUnavailable(ctx, outcome, answer)
      break
    case 'clientGone':
      // Prevents Koa from writing to the closed connection.
      ctx.respond = false
      break
    case 'handlerFailed':
      throw outcome.error
    default:
      outcome satisfies never
  }
}

type SentHeader = Readonly<{ header: string }>

/** The header of each request. A request always gets the same object, because the gate caches decoded payments by object. */
const sentHeaders = new WeakMap<Context['req'], SentHeader>()

/**
 * Returns the PAYMENT-SIGNATURE header in the form that the gate takes, or null if there is none. Calls for the same request return the
 * same object.
 */
export function paymentOf(ctx: Context): SentHeader | null {
  const header = ctx.get('payment-signature')
  if (header === '') return null
  const sent = sentHeaders.get(ctx.req) ?? { header }
  sentHeaders.set(ctx.req, sent)
  return sent
}

/**
 * Whether the client has disconnected. `req.destroyed` alone proves nothing, because Node also destroys a request whose
 * body was read to its end.
 */
export const isClientGone = (ctx: Context) => (): boolean =>
  (ctx.req.destroyed && !ctx.req.complete) || ctx.res.destroyed || ctx.req.socket.destroyed

/**
 * Calls `note` when all bytes of the response have been sent. If the connection breaks earlier, `note` is
 * never called.
 */
export function onceSent(ctx: Context, note: () => void): void {
  // The socket is checked, because Node emits `finish` even if the connection broke and the remaining bytes were
  // discarded.
  const { socket } = ctx.req
  ctx.res.once('finish', () => {
    if (!socket.destroyed && socket.errored === null) note()
  })
}

function runFor(ctx: Context, gate: PaymentGate, answer: PaidAnswer): Promise<PaymentOutcome> {
  // What the request says comes last, so no field of `answer` replaces it.
  const asked = { payment: paymentOf(ctx), isClientGone: isClientGone(ctx) }
  return gate.run(Object.assign({ clientAddress: ctx.ip }, answer, asked))
}

function sendPaid(ctx: Context, gate: PaymentGate, outcome: PaidOutcome & Readonly<{ ageMs: number }>): void {
  onceSent(ctx, () => gate.markDelivered(outcome.paymentId))
  ctx.status = 200
  if (outcome.receiptHeader !== null) ctx.set('PAYMENT-RESPONSE', outcome.receiptHeader)
  ctx.set('Age', String(Math.max(0, Math.floor(outcome.ageMs / 1000))))
  ctx.set('Answer-Cut', String(outcome.cutAtMs))
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
