/**
 * Buys answers. Each purchase has a name and is signed one time. If the response is lost, the buyer sends the same
 * payment again, so it can be charged at most one time.
 */
import { randomUUID } from 'node:crypto'
import { decodePaymentResponseHeader } from '@x402/core/http'
import type { SettleResponse } from '@x402/core/types'
import { OperationError } from '../../infra/errors.ts'
import type { DurationMs } from '../../schemas/units.ts'
import { pauseMs, type World } from './backoff.ts'
import type { Budget } from './budget.ts'
import { offerIn } from './offer.ts'
import { ask, type Reply, retryAfterMsOf, type Service, type Verdict, verdictOf } from './request.ts'
import type { OpenPurchase } from './spending-store.ts'
import type { Payer } from './wallet.ts'

export type Outcome =
  | (Readonly<{
      kind: 'answered'
      /** The purchase and its price. Null: the service charged nothing, as a replay server. */
      purchase: Readonly<{ name: string; usdMicros: number; receipt: SettleResponse | null }> | null
    }> &
      Reply)
  /** The service gives no answer. `isCharged`: whether the payment may have been charged all the same. */
  | (Readonly<{ kind: 'refused'; name: string | null; isCharged: boolean }> & Reply)
  /** It is not known whether the payment was charged. `resume` asks for its answer again. */
  | Readonly<{ kind: 'open'; name: string; cause: unknown }>

export type Buyer = Readonly<{
  /** Buys the answer at a path with its query. Throws if nothing was signed, and if the service does not answer. */
  buy(path: string, passTokenIn?: PassTokenIn): Promise<Outcome>
  /** Asks again for the answer of an open purchase, with the same payment. */
  resume(name: string, passTokenIn?: PassTokenIn): Promise<Outcome>
}>

/** Returns the pass in an answer, which is kept together with the end of its purchase. Null: the answer has no pass. */
type PassTokenIn = (reply: Reply) => string | null

type Buying = Readonly<{
  service: Service
  /** Null: the client pays for nothing, and throws if something has a price. */
  payer: Payer | null
  budget: Budget
  /** The only receiver that is paid. Null: the receiver of the first purchase. */
  payTo: string | null
  /** The maximum number of requests with one payment. */
  attemptsMax: number
  world: World
}>

const pauseOfRepeat = { baseMs: 250, maxMs: 15_000 }

export function createBuyer(buying: Buying): Buyer {
  const { service, budget } = buying
  return {
    async buy(path, passTokenIn = noPass) {
      const reply = await ask(service, path).catch((cause: unknown) => {
        throw unreachable(service, cause)
      })
      if (reply.status === 200) return { kind: 'answered', purchase: null, ...reply }
      if (reply.status !== 402) return { kind: 'refused', name: null, isCharged: false, ...reply }
      return repeat(await sign(path, reply, buying), { ...buying, isInDoubt: false, passTokenIn })
    },
    async resume(name, passTokenIn = noPass) {
      const purchase = budget.find(name)
      if (purchase !== undefined) return repeat(purchase, { ...buying, isInDoubt: true, passTokenIn })
      throw new OperationError(
        'config_invalid',
        `there is no open purchase "${name}". It has its answer, it was refused, or it is older than two days`,
      )
    },
  }
}

/** Checks the offer and the limits, signs, and stores the purchase. After that it may be sent. */
async function sign(
  path: string,
  { headers }: Reply,
  { service, payer, budget, payTo, world }: Buying,
): Promise<OpenPurchase> {
  if (payer === null)
    throw new OperationError('config_invalid', `${path} has a price, and this client has no wallet. Pass a wallet`)
  const known = { payer, payTo: payTo ?? budget.payTo() }
  const { required, requirements, usdMicros } = offerIn(headers.get('payment-required'), known)
  const reservation = budget.reserve(usdMicros)
  try {
    // Anyone who knows the name of a purchase could take it, so it must not be guessable.
    const name = `launch-data-${randomUUID()}`
    const signedAtMs = world.nowMs()
    const payment = await inTime(payer.sign(required, requirements, name), service.timeoutMs)
    const purchase = { name, path, usdMicros, payment, signedAtMs }
    await reservation.sign(purchase, requirements.payTo)
    return purchase
  } catch (error) {
    reservation.cancel()
    throw error
  }
}

/**
 * Returns the signed payment. A wallet can fail or never answer, for example if its node is down. Nothing was sent
 * then, so nothing can be charged.
 */
async function inTime(signing: Promise<string>, timeoutMs: DurationMs): Promise<string> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new OperationError('payment_failed', `no signature in ${timeoutMs} ms`)), timeoutMs)
  })
  try {
    return await Promise.race([signing, late])
  } catch (cause) {
    const message = 'the wallet did not sign, so nothing was charged. Check the signer, and the node of the wallet'
    throw new OperationError('payment_failed', message, { cause })
  } finally {
    clearTimeout(timer)
  }
}

const noPass: PassTokenIn = () => null

type Repeating = Buying & Readonly<{ isInDoubt: boolean; passTokenIn: PassTokenIn }>

/** Sends the same payment until the service decides about it, or until the attempts are used up. */
async function repeat(purchase: OpenPurchase, repeating: Repeating): Promise<Outcome> {
  const { service, budget, attemptsMax, world } = repeating
  const { name, path, payment } = purchase
  let { isInDoubt } = repeating
  let last: Reply | null = null
  let cause: unknown = null
  for (let turn = 0; turn < attemptsMax && !service.signal.aborted; turn++) {
    if (turn > 0) await world.sleep(pauseAfter(last, { turn, world }), service.signal)
    last = await ask(service, path, payment).catch((error: unknown) => {
      cause = error
      return null
    })
    const verdict = last === null ? noReply : verdictOf(last)
    if (last !== null && verdict.kind === 'sold') return sold(purchase, last, repeating)
    isInDoubt = isStillInDoubt(verdict, isInDoubt)
    if (last !== null && verdict.kind === 'refused') return refused(purchase, last, { budget, isCharged: isInDoubt })
  }
  return last === null || isInDoubt
    ? { kind: 'open', name, cause }
    : refused(purchase, last, { budget, isCharged: false })
}

const noReply: Verdict = { kind: 'repeat', charged: 'unknown' }

/** Whether the payment may have been charged by this request or by an earlier one. */
function isStillInDoubt(verdict: Verdict, wasInDoubt: boolean): boolean {
  if (verdict.kind === 'sold' || verdict.charged === 'never') return false
  return wasInDoubt || verdict.charged === 'unknown'
}

const pauseAfter = (last: Reply | null, { turn, world }: Readonly<{ turn: number; world: World }>) =>
  pauseMs({ ...pauseOfRepeat, turn: turn - 1, atLeastMs: last && retryAfterMsOf(last.headers) }, world.random)

type Ending = Readonly<{ budget: Budget; isCharged: boolean }>

async function refused({ name }: OpenPurchase, reply: Reply, { budget, isCharged }: Ending): Promise<Outcome> {
  await budget.end(name, { isCharged })
  return { kind: 'refused', name, isCharged, ...reply }
}

async function sold(
  { name, usdMicros }: OpenPurchase,
  reply: Reply,
  { budget, passTokenIn }: Repeating,
): Promise<Outcome> {
  // If the store fails, the purchase stays open there and keeps counting. The buyer must get the answer all the same.
  await budget.end(name, { isCharged: true, passToken: passTokenIn(reply) }).catch(() => {})
  const header = reply.headers.get('payment-response')
  return {
    kind: 'answered',
    purchase: { name, usdMicros, receipt: header === null ? null : receiptOf(header) },
    ...reply,
  }
}

function receiptOf(header: string): SettleResponse | null {
  try {
    return decodePaymentResponseHeader(header)
  } catch {
    return null
  }
}

const unreachable = ({ baseUrl }: Pick<Service, 'baseUrl'>, cause: unknown): OperationError =>
  cause instanceof OperationError
    ? cause
    : new OperationError('service_unreachable', `the service at ${baseUrl.origin} did not answer. Check that it runs`, {
        cause,
      })
