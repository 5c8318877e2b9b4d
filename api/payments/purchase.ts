/** Verifies one payment, builds the answer, settles, and records. Runs of the same payment never overlap. */

import type { PaymentRequirements } from '@x402/core/types'
import { crashPoint } from '../../infra/crash-points.ts'
import type { Logger } from '../../infra/telemetry.ts'
import type { PaymentChanged } from '../../schemas/payments.ts'
import type { DurationMs, EpochMs } from '../../schemas/units.ts'
import { type Body, bodyOf } from './body.ts'
import { deliver, isUndated } from './delivery.ts'
import type { FacilitatorLink, Served } from './facilitator/facilitator-link.ts'
import { type Settlement, settleAndReconcile } from './facilitator/settlement.ts'
import type { SettlementAudit } from './facilitator/settlement-audit.ts'
import { verifyPayment } from './facilitator/verification.ts'
import type { AnswerStore } from './ledger/answer-store.ts'
import type { PaymentLedger } from './ledger/ledger.ts'
import type { LedgerWriter } from './ledger/ledger-writer.ts'
import { changeOf, isInDoubt, isUnanswered, isUnproven, recordedOf, settlementOf } from './ledger/payment-change.ts'
import { clientOf } from './limits/client.ts'
import type { ForgeryGuard } from './limits/forgery-guard.ts'
import { checksOf } from './limits/recovery.ts'
import type { Offers, PaymentRefusal } from './offers/offers.ts'
import { termsRefusal } from './offers/terms.ts'
import {
  NothingToSell,
  type PaidRequest,
  type PaidResource,
  type PaymentOutcome,
  type PaymentRequiredOutcome,
  type UnavailableOutcome,
} from './payment.ts'
import type { ReadPayment } from './payment-reader.ts'
import { refuseInvalid, refuseVerified, unavailable } from './purchase-refusals.ts'
import { settlingOf } from './settling.ts'
import { believed } from './shared-signature.ts'
import { notLive, retryDownSec } from './unavailable.ts'

export type PurchaseDependencies = Readonly<{
  link: FacilitatorLink
  audit: SettlementAudit
  guard: ForgeryGuard
  offers: Offers
  answers: AnswerStore
  ledger: PaymentLedger
  ledgerWriter: LedgerWriter
  refuse: (resource: PaidResource, refusal: PaymentRefusal) => Promise<PaymentRequiredOutcome | UnavailableOutcome>
  /** Counts a payment that is not in the ledger, because it failed before it was sent to a facilitator. */
  noteFailed: (resource: Pick<PaidResource, 'routeId'>, code: string) => void
  nowMs: () => EpochMs
  sleep: (durationMs: DurationMs) => Promise<void>
  logger: Pick<Logger, 'info' | 'warn' | 'error'>
  reconcileMs: DurationMs
}>

export type PurchaseInput = Readonly<{
  request: PaidRequest
  payment: ReadPayment
  /** The ledger's record of this payment when the purchase starts. */
  known: PaymentChanged | undefined
  /** If true, `known` is another payment of the payer for the same request, and this payment must not be charged. */
  isForOther?: boolean
  isEveryClientGone: () => boolean
}>

export type Purchase = PurchaseInput & Readonly<{ dependencies: PurchaseDependencies }>

/**
 * Answers one payment. A failure of the facilitator, the chain, the ledger or the handler gives an outcome
 * instead of an exception. After the point where the payment may be charged, this function never throws.
 */
export async function runPurchase(dependencies: PurchaseDependencies, input: PurchaseInput): Promise<PaymentOutcome> {
  const { paymentId } = input.payment.identity
  try {
    return await run({ dependencies, ...input })
  } catch (error) {
    const reached = dependencies.ledger.find(paymentId)
    if (reached === undefined || reached.state === 'released') throw error
    dependencies.logger.error(
      { err: error, route: input.request.routeId },
      'a purchase failed after its payment was sent to the facilitator. The answer asks the buyer to repeat the request',
    )
    return notLive('outcome_unknown', retryLaterSec)
  }
}

async function run(purchase: Purchase): Promise<PaymentOutcome> {
  const { known } = purchase
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
  const { payment, request, known, dependencies: tools } = purchase
  const invalid = (reason: string) => refuseInvalid(purchase, { reason, isUnproven: isInDoubt(known) })
  const { link, guard, nowMs } = tools
  const unmet = termsRefusal(payment, request.priceUsdMicros, nowMs())
  if (unmet !== null) return invalid(unmet)
  const served = link.current()
  if (!served) return unavailable(purchase, 'facilitator_down', retryDownSec)
  const requirements = await matchingRequirements(purchase, served)
  if (!requirements) return invalid('no_matching_requirements')
  crashPoint('payment-before-verify')
  const verification = await guard.verify(clientOf(purchase), {
    verify: () => verifyPayment(served.server, payment.payload, requirements),
    ...checksOf(payment, purchase.isEveryClientGone),
  })
  switch (verification.kind) {
    case 'valid':
      crashPoint('payment-verified')
      return buildAndSettle(purchase, served, requirements)
    case 'refused':
      if (verification.reason === payment.network.codes.outdated) await link.renew()
      return (await paidAfterAll(purchase)) ?? refuseVerified(purchase, verification.reason)
    case 'forged':
      return invalid(payment.network.codes.signature)
    case 'limited':
      return unavailable(purchase, verification.reason, verification.retryAfterSec)
    case 'unanswered':
      link.doubt()
      return unavailable(purchase, 'facilitator_failed', retryDownSec)
    case 'failed':
      return unavailable(purchase, 'facilitator_failed', retryDownSec)
    default:
      return verification satisfies never
  }
}

/** Resumes a payment that was sent to the facilitator and has no known outcome, as after a crash. */
async function resumePayment(purchase: Purchase, known: PaymentChanged): Promise<PaymentOutcome> {
  const finding = await purchase.payment.network.probe(known).catch(() => undefined)
  const settlement = finding && settlementOf(finding)
  if (settlement) return conclude(purchase, known, { settlement })
  if (known.transaction !== null) return deliver(purchase, known)
  if (purchase.isForOther) return notLive('outcome_unknown', retrySoonSec)
  if (isUnproven(known)) return takePayment(purchase)
  const served = purchase.dependencies.link.current()
  const requirements = served && (await matchingRequirements(purchase, served))
  return requirements ? buildAndSettle(purchase, served, requirements) : notLive('outcome_unknown', retrySoonSec)
}

async function buildAndSettle(
  purchase: Purchase,
  served: Served,
  requirements: PaymentRequirements,
): Promise<PaymentOutcome> {
  const { payment, request, known, dependencies: tools } = purchase
  const { answers, guard, ledger, ledgerWriter, nowMs, sleep, reconcileMs } = tools
  const { isEveryClientGone } = purchase
  const bought = isUnanswered(known) ? undefined : known
  const { paymentId } = payment.identity
  const body = isUndated(request, bought)
    ? null
    : await bodyOf(request, answers, { paymentId, known: bought, isEveryClientGone })
  const isRefused = body?.kind === 'handlerFailed' && body.error instanceof NothingToSell
  // If nobody waits for the body any more, it is refused before it is built.
  if ((body?.kind !== 'handlerFailed' || isRefused) && isEveryClientGone()) {
    guard.noteUnsold(clientOf(purchase))
    return { kind: 'clientGone' }
  }
  if (isRefused) guard.noteNothing(clientOf(purchase).payer)
  if (body?.kind === 'handlerFailed') return isInDoubt(known) ? notLive('outcome_unknown', retrySoonSec) : body
  const settling = settlingOf(purchase, { cutAtMs: body?.cutAtMs ?? null, atMs: nowMs() })
  if (!(await ledgerWriter.announce(settling))) return unavailable(purchase, 'ledger_lost', retryLaterSec)
  crashPoint('payment-settling-recorded')
  if (body) answers.keep(settling.paymentId, body.bytes)
  const settlement = await settleAndReconcile(
    { payload: payment.payload, requirements },
    {
      nowMs,
      sleep,
      reconcileMs,
      settle: (payload, accepted) =>
        believed(served.server.settlePayment(payload, accepted), () => ledger.hasSignedAlike(payment.identity)),
      probe: () => payment.network.probe(settling),
      isTransaction: payment.network.isTransaction,
    },
  )
  tools.audit.add(settling, settlement, served)
  return conclude(purchase, settling, { settlement, ...(body && { body }) })
}

type Conclusion = Readonly<{
  settlement: Settlement
  /** The body, if it was just built. */
  body?: Body
}>

async function conclude(
  purchase: Purchase,
  payment: PaymentChanged,
  { settlement, body }: Conclusion,
): Promise<PaymentOutcome> {
  const { nowMs, ledgerWriter, logger, guard } = purchase.dependencies
  const change = changeOf(payment, recordedOf(settlement, purchase.known), nowMs())
  crashPoint('payment-settled-unrecorded')
  void ledgerWriter.note(change)
  const { route, state, transaction, reason } = change
  logger.info({ route, state, transaction, reason }, 'payment')
  switch (settlement.kind) {
    case 'paid':
      guard.noteBought(clientOf(purchase).payer)
      return deliver(purchase, change, body)
    case 'refused':
      guard.noteUnsold(clientOf(purchase))
      return refuseInvalid(purchase, { reason: settlement.reason, payer: payment.payer })
    case 'unproven':
      guard.noteUnsold(clientOf(purchase))
      guard.noteRefused(purchase.request.clientAddress)
      return refuseInvalid(purchase, { reason: settlement.reason, payer: payment.payer, isUnproven: true })
    case 'unknown':
      return settlement.transaction !== null || isGivenOnTrust(purchase, settlement)
        ? deliver(purchase, change, body)
        : notLive('outcome_unknown', retrySoonSec)
    default:
      return settlement satisfies never
  }
}

/** If more payments than this have an unknown outcome, no answer is given without proof of its payment. */
const onTrustMax = 20

/**
 * Returns whether the buyer gets the answer although it is not proven that the verified payment settled. This
 * happens if neither the facilitator nor the node answers. The buyer may have paid and did not cause these
 * failures, so the seller takes the limited risk.
 */
const isGivenOnTrust = (
  { dependencies: tools }: Purchase,
  { isChainSilent }: Readonly<{ isChainSilent: boolean }>,
): boolean => isChainSilent && tools.ledger.unresolved().length <= onTrustMax

/**
 * Returns the outcome if the facilitator refused the payment but the money still arrived, and otherwise null.
 * A facilitator can refuse a payment and still send its transfer.
 */
async function paidAfterAll(purchase: Purchase): Promise<PaymentOutcome | null> {
  const { known, payment } = purchase
  const finding = known && (await payment.network.probe(known).catch(() => undefined))
  return finding?.kind === 'paid' ? conclude(purchase, known as PaymentChanged, { settlement: finding }) : null
}

const matchingRequirements = (
  { dependencies: tools, request, payment }: Purchase,
  served: Served,
): Promise<PaymentRequirements | undefined> => tools.offers.match(served, request.priceUsdMicros, payment.payload)

const retrySoonSec = 2
const retryLaterSec = 30
