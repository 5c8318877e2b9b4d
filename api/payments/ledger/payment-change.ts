/** Computes the next record of a payment from its settlement or from the chain. Pure. */
import type { PaymentChanged } from '../../../schemas/payments.ts'
import type { EpochMs } from '../../../schemas/units.ts'
import type { Settlement } from '../facilitator/settlement.ts'
import type { ChainFinding } from '../payment-network.ts'

const outcomeUnknown = 'outcome_unknown'

/**
 * Returns whether the facilitator refused to settle the payment and the outcome is still open. The transfer
 * can still happen until the payment expires. So the chain is searched until then.
 */
export const isUnproven = ({ state, reason }: PaymentChanged): boolean =>
  state === 'unknown' && reason !== outcomeUnknown

/**
 * The recorded reason of a refusal after an earlier settlement had no known outcome. Its answer may have been sent, so
 * the payment keeps its cut.
 */
const refusedAgain = 'refused_again'

/**
 * Returns whether the facilitator refused each settlement of the payment. So no answer was ever sent for the payment, and
 * a repeat that settles gets a new answer.
 */
export const isUnanswered = (payment: PaymentChanged | undefined): boolean =>
  payment !== undefined && isUnproven(payment) && payment.reason !== refusedAgain

/** Returns the settlement as it is recorded. `known`: the payment's record before the settlement. */
export const recordedOf = (settlement: Settlement, known: PaymentChanged | undefined): Settlement =>
  settlement.kind === 'unproven' && isInDoubt(known) && !isUnanswered(known)
    ? { ...settlement, reason: refusedAgain }
    : settlement

/**
 * Returns whether the payment was sent to the facilitator and may still be charged. The client must not be
 * told that such a payment was not charged.
 */
export const isInDoubt = (payment: PaymentChanged | undefined): boolean =>
  payment?.state === 'settling' || payment?.state === 'unknown'

export function changeOf(payment: PaymentChanged, settlement: Settlement, atMs: EpochMs): PaymentChanged {
  switch (settlement.kind) {
    case 'paid':
      return { ...payment, atMs, state: 'settled', transaction: settlement.transaction, reason: null }
    case 'refused':
      return { ...payment, atMs, state: 'released', transaction: null, reason: settlement.reason }
    case 'unproven':
      return { ...payment, atMs, state: 'unknown', transaction: null, reason: settlement.reason }
    case 'unknown':
      return { ...payment, atMs, state: 'unknown', transaction: settlement.transaction, reason: outcomeUnknown }
    default:
      return settlement satisfies never
  }
}

/** Returns null while the chain has not decided the outcome. */
export function settlementOf(finding: ChainFinding): Settlement | null {
  switch (finding.kind) {
    case 'paid':
      return finding
    case 'expired':
      return { kind: 'refused', reason: 'expired' }
    case 'unpaid':
      return null
    default:
      return finding satisfies never
  }
}
