/** One payment from its signature to its bytes: verify, build, settle, record. Runs at most once at a time for a payment. */

import type { PaymentRequirements } from '@x402/core/types'
import { crashPoint } from '../../infra/crash-points.ts'
import type { Logger } from '../../infra/telemetry.ts'
import type { PaymentChanged } from '../../schemas/payments.ts'
import type { AnswerStore } from './answer-store.ts'
import { bodyOf } from './body.ts'
import type { FacilitatorLink, Served } from './facilitator-link.ts'
import type { PaymentLedger } from './ledger.ts'
import type { LedgerWriter } from './ledger-writer.ts'
import type { Offers, PaymentRefusal } from './offers.ts'
import type {
  PaidRequest,
  PaidResource,
  PaymentOutcome,
  PaymentRequiredOutcome,
  UnavailableOutcome,
} from './payment.ts'
import { changeOf, settlementOf } from './payment-change.ts'
import { validityMsMax } from './payment-network.ts'
import type { ReadPayment } from './payment-reader.ts'
import { toPaid } from './receipt.ts'
import { type Settlement, settleAndReconcile } from './settlement.ts'
import { notLive } from './unavailable.ts'
import { verifyPayment } from './verification.ts'

export type PurchaseTools = Readonly<{
  link: FacilitatorLink
  offers: Offers
  answers: AnswerStore
  ledger: PaymentLedger
  ledgerWriter: LedgerWriter
  refuse: (resource: PaidResource, refusal: PaymentRefusal) => Promise<PaymentRequiredOutcome | UnavailableOutcome>
  nowMs: () => number
  sleep: (durationMs: number) => Promise<void>
  logger: Pick<Logger, 'info' | 'warn' | 'error'>
  reconcileMs: number
}>

export type PurchaseInput = Readonly<{
  request: PaidRequest
  payment: ReadPayment
  /** What the ledger holds of this payment when the purchase starts. */
  known: PaymentChanged | undefined
  isEveryClientGone: () => boolean
}>

type Purchase = PurchaseInput & Readonly<{ tools: PurchaseTools }>

/** Answers one payment. Never throws for what the facilitator, the chain, the ledger or the handler does. */
export async function runPurchase(tools: PurchaseTools, input: PurchaseInput): Promise<PaymentOutcome> {
  const { known } = input
  const purchase = { tools, ...input }
  if (known === undefined || known.state === 'released') return takePayment(purchase)
  switch (known.state) {
    case 'settled':
    case 'delivered':
      return deliver(purchase, known)
    case 'settling':
    case 'unknown':
      return resumePayment(purchase, known)
    default:
      return known.state satisfies never
  }
}

async function takePayment(purchase: Purchase): Promise<PaymentOutcome> {
  const { payment, tools } = purchase
  const { link, nowMs } = tools
  const late = timeRefusal(payment.identity.validBeforeMs, nowMs())
  if (late !== null) return refuseInvalid(purchase, late)
  const served = link.current()
  if (!served) return notLive('facilitator_down', link.retryAfterSec())
  const requirements = await matchingRequirements(purchase, served)
  if (!requirements) return refuseInvalid(purchase, 'no_matching_requirements')
  const verification = await verifyPayment(served.server, payment.payload, requirements)
  switch (verification.kind) {
    case 'unanswered':
      return facilitatorDown(purchase)
    case 'refused':
      link.reportSuccess()
      return (await paidAfterAll(purchase)) ?? refuseInvalid(purchase, verification.reason)
    case 'valid':
      link.reportSuccess()
      return buildAndSettle(purchase, served, requirements)
    default:
      return verification satisfies never
  }
}

/** The payment was handed to the facilitator before and its outcome is not known: after a crash or a time-out. */
async function resumePayment(purchase: Purchase, known: PaymentChanged): Promise<PaymentOutcome> {
  const finding = await purchase.payment.network.probe(known).catch(() => null)
  const settlement = finding && settlementOf(finding)
  if (settlement) return conclude(purchase, known, settlement)
  if (known.transaction !== null) return deliver(purchase, known)
  const served = purchase.tools.link.current()
  const requirements = served && (await matchingRequirements(purchase, served))
  return requirements ? buildAndSettle(purchase, served, requirements) : notLive('outcome_unknown', retrySoonSec)
}

async function buildAndSettle(
  purchase: Purchase,
  { server }: Served,
  requirements: PaymentRequirements,
): Promise<PaymentOutcome> {
  const { payment, request, known, tools } = purchase
  const { answers, ledgerWriter, nowMs, sleep, reconcileMs } = tools
  const body = await bodyOf(request, answers, known)
  if (body.kind === 'handlerFailed') return body
  if (purchase.isEveryClientGone()) return { kind: 'clientGone' }
  const settling = settlingOf(purchase, body.cutAtMs)
  if (!(await ledgerWriter.announce(settling))) return notLive('ledger_lost', retryLaterSec)
  crashPoint('payment-settling-recorded')
  answers.keep(settling.paymentId, body.bytes)
  const settlement = await settleAndReconcile(
    { payload: payment.payload, requirements },
    {
      nowMs,
      sleep,
      reconcileMs,
      settle: (payload, accepted) => server.settlePayment(payload, accepted),
      probe: () => payment.network.probe(settling),
    },
  )
  return conclude(purchase, settling, settlement)
}

async function conclude(purchase: Purchase, payment: PaymentChanged, settlement: Settlement): Promise<PaymentOutcome> {
  const { nowMs, ledgerWriter, logger } = purchase.tools
  const change = changeOf(payment, settlement, nowMs())
  crashPoint('payment-settled-unrecorded')
  await ledgerWriter.note(change)
  crashPoint('payment-settled-recorded')
  const { route, state, transaction, reason } = change
  logger.info({ route, state, transaction, reason }, 'payment')
  if (settlement.kind === 'refused') return refuseInvalid(purchase, settlement.reason, payment.payer)
  if (settlement.kind === 'unknown' && settlement.transaction === null) return notLive('outcome_unknown', retrySoonSec)
  return deliver(purchase, change)
}

async function deliver({ request, tools }: Purchase, payment: PaymentChanged): Promise<PaymentOutcome> {
  const body = await bodyOf(request, tools.answers, payment)
  return body.kind === 'handlerFailed' ? body : toPaid(payment, body)
}

/** A facilitator can refuse a payment and send its transfer all the same. */
async function paidAfterAll(purchase: Purchase): Promise<PaymentOutcome | null> {
  const { known, payment } = purchase
  const finding = known && (await payment.network.probe(known).catch(() => null))
  return finding?.kind === 'paid' ? conclude(purchase, known as PaymentChanged, finding) : null
}

function facilitatorDown({ tools, request }: Purchase): PaymentOutcome {
  const { link, logger } = tools
  link.reportFailure()
  logger.warn({ route: request.routeId }, 'the facilitator did not answer a verification')
  return notLive('facilitator_down', link.retryAfterSec())
}

const matchingRequirements = (
  { tools, request, payment }: Purchase,
  served: Served,
): Promise<PaymentRequirements | undefined> => tools.offers.match(served, request.priceUsdMicros, payment.payload)

function refuseInvalid({ tools, request, payment }: Purchase, reason: string, payer?: string) {
  const receipt = payer === undefined ? {} : { receipt: { network: payment.network.network, payer } }
  return tools.refuse(request, { code: 'payment_invalid', reason, ...receipt })
}

const retrySoonSec = 2
const retryLaterSec = 30

function timeRefusal(validBeforeMs: number, nowMs: number): string | null {
  if (validBeforeMs <= nowMs) return 'valid_before_expired'
  return validBeforeMs > nowMs + validityMsMax ? 'valid_before_too_far' : null
}

function settlingOf({ request, payment, tools }: Purchase, cutAtMs: number): PaymentChanged {
  const { paymentId, payer, validBeforeMs, signedHash } = payment.identity
  return {
    paymentId,
    payer,
    validBeforeMs,
    signedHash,
    state: 'settling',
    atMs: tools.nowMs(),
    network: payment.network.network,
    route: request.routeId,
    requestId: request.requestId,
    cutAtMs,
    usdMicros: request.priceUsdMicros,
    transaction: null,
    reason: null,
  }
}
