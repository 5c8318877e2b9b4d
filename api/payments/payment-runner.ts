/**
 * Receives payments. Decides whether a payment is new, or repeats another payment. Duplicates that arrive at
 * the same time share one purchase.
 */
import type { PaymentChanged } from '../../schemas/payments.ts'
import type { InFlight, RunningPurchase } from './in-flight.ts'
import type { PaymentLedger } from './ledger/ledger.ts'
import { isInDoubt } from './ledger/payment-change.ts'
import { createNamedCheck } from './named-purchase.ts'
import type { PaidRequest, PaymentGate, PaymentOutcome } from './payment.ts'
import type { PaymentNetwork } from './payment-network.ts'
import { createPaymentReader, type PaymentReader, type ReadPayment } from './payment-reader.ts'
import { type PurchaseDependencies, runPurchase } from './purchase.ts'
import { notLive } from './unavailable.ts'

type PaymentRunnerDependencies = PurchaseDependencies &
  Readonly<{
    networks: readonly PaymentNetwork[]
    inFlight: InFlight
    /** Whether this process no longer writes to the ledger. */
    isOver: () => boolean
    unavailable: PaymentGate['unavailable']
  }>

/** The maximum number of times that a payment waits for other payments with the same identifier. */
const triesMax = 4

export function createPaymentRunner(dependencies: PaymentRunnerDependencies): Pick<PaymentGate, 'run' | 'isOwed'> {
  const { networks, ledger, offers, inFlight, refuse } = dependencies
  const checkNamed = createNamedCheck(dependencies)
  const readPayment = createPaymentReader(networks)

  /**
   * `named`: an earlier purchase of this payer under the same identifier. If it is given, this payment is not charged
   * and gets the answer of the earlier purchase.
   */
  const start = (request: PaidRequest, payment: ReadPayment, named?: PaymentChanged): Promise<PaymentOutcome> => {
    const known = named ?? ledger.find(payment.identity.paymentId)
    const { paymentId, signedHash } = named ?? payment.identity
    const down = dependencies.isOver() ? dependencies.unavailable() : null
    if (down && known?.state !== 'settled' && known?.state !== 'delivered')
      return Promise.resolve(isInDoubt(known) ? notLive('outcome_unknown', down.retryAfterSec) : down)
    const clients = new Set([request.isClientGone])
    const forwarded = { ...payment, payload: offers.toForward(request, payment.payload) }
    const outcome = runPurchase(dependencies, {
      request,
      payment: forwarded,
      known,
      isForOther: named !== undefined,
      isEveryClientGone: () => [...clients].every((isGone) => isGone()),
    })
    inFlight.add(paymentId, payment, { requestId: request.requestId, signedHash, clients, outcome })
    return outcome
  }

  const runNew = async (request: PaidRequest, payment: ReadPayment, tries: number): Promise<PaymentOutcome> => {
    const named = findNamed(ledger, payment)
    const running = inFlight.findNamed(payment) ?? (named && inFlight.find(named.paymentId))
    if (!running) return named ? runNamed(request, payment, { named, tries }) : start(request, payment)
    if (tries >= triesMax) return notLive('too_many_at_once', 1)
    // The running payment may be a forgery in the payer's name. So this payment waits until the running
    // payment has ended. Then it is judged again.
    await running.outcome.catch(() => {})
    return runOnce(request, tries + 1)
  }

  const runNamed = async (
    request: PaidRequest,
    payment: ReadPayment,
    { named, tries }: Readonly<{ named: PaymentChanged; tries: number }>,
  ): Promise<PaymentOutcome> => {
    const refused = await checkNamed({ request, payment })
    if (refused) return refused
    if (named !== findNamed(ledger, payment) || inFlight.find(named.paymentId))
      return tries < triesMax ? runOnce(request, tries + 1) : notLive('too_many_at_once', 1)
    return named.requestId === request.requestId
      ? start(request, payment, named)
      : refuse(request, { code: 'payment_already_used', isNameTaken: true })
  }

  const join = async (
    request: PaidRequest,
    { clients, outcome }: RunningPurchase,
    tries: number,
  ): Promise<PaymentOutcome> => {
    clients.add(request.isClientGone)
    const reached = await outcome
    // The purchase may have ended just before this client joined it, because all its other clients were gone.
    if (reached.kind !== 'clientGone' || request.isClientGone()) return reached
    return tries < triesMax ? runOnce(request, tries + 1) : notLive('too_many_at_once', 1)
  }

  const runOnce = async (request: PaidRequest, tries: number): Promise<PaymentOutcome> => {
    if (request.payment === null) return refuse(request, { code: 'payment_required' })
    const payment = readPayment(request.payment)
    if ('refusal' in payment) return refuse(request, { code: 'payment_invalid', reason: payment.refusal })
    // There must be no `await` before the purchase starts. Otherwise concurrent duplicates would not find the running
    // purchase and would start their own.
    const { paymentId } = payment.identity
    const running = inFlight.find(paymentId)
    const first = running ?? ledger.find(paymentId)
    if (first && !isSamePurchase(first, request, payment)) return refuse(request, { code: 'payment_already_used' })
    if (!running) return ownedBy(ledger.find(paymentId)) ? start(request, payment) : runNew(request, payment, tries)
    return join(request, running, tries)
  }

  return {
    run: (request) => runOnce(request, 0),
    isOwed: (request) => isOwed(request, { ...dependencies, readPayment }),
  }
}

/**
 * Returns whether the payer is owed the answer. The reason can be this payment, or another payment of the
 * same payer with the same identifier. In the second case, the signer of this payment is verified when the
 * payment runs.
 */
function isOwed(
  { payment, requestId }: Pick<PaidRequest, 'payment' | 'requestId'>,
  {
    readPayment,
    ledger,
    inFlight,
  }: Pick<PaymentRunnerDependencies, 'ledger' | 'inFlight'> & Readonly<{ readPayment: PaymentReader }>,
): boolean {
  if (payment === null) return false
  const read = readPayment(payment)
  if ('refusal' in read) return false
  const { paymentId } = read.identity
  const bought = inFlight.find(paymentId) ?? ownedBy(ledger.find(paymentId))
  if (bought !== undefined) return isSamePurchase(bought, { requestId }, read)
  return findNamed(ledger, read)?.requestId === requestId
}

const findNamed = (ledger: PaymentLedger, { identity, clientPaymentId }: ReadPayment): PaymentChanged | undefined =>
  clientPaymentId === null ? undefined : ledger.findNamed(identity.payer, clientPaymentId)

type Bought = Pick<PaymentChanged, 'requestId' | 'signedHash'>

const ownedBy = (known: PaymentChanged | undefined): PaymentChanged | undefined =>
  known?.state === 'released' ? undefined : known

/**
 * Returns whether a payment repeats the first payment with its id. The signed bytes and the request must be
 * the same. Other bytes do not count, because the facilitator has verified only the bytes of the first
 * payment.
 */
const isSamePurchase = (
  first: Bought,
  { requestId }: Pick<PaidRequest, 'requestId'>,
  { identity }: ReadPayment,
): boolean => first.requestId === requestId && (first.signedHash === null || first.signedHash === identity.signedHash)
