/** The next record of a payment, from the outcome of its settlement or from the chain. Pure. */
import type { PaymentChanged } from '../../../schemas/payments.ts'
import type { Settlement } from '../facilitator/settlement.ts'
import type { ChainFinding } from '../payment-network.ts'

const outcomeUnknown = 'outcome_unknown'

/** The facilitator refused to settle it. Until it expires its transfer can come all the same, and the chain is watched. */
export const isUnproven = ({ state, reason }: PaymentChanged): boolean =>
  state === 'unknown' && reason !== outcomeUnknown

/** Handed to the facilitator, and not proven to be unpaid: nobody may say that nothing was charged. */
export const isInDoubt = (payment: PaymentChanged | undefined): boolean =>
  payment?.state === 'settling' || payment?.state === 'unknown'

export function changeOf(payment: PaymentChanged, settlement: Settlement, atMs: number): PaymentChanged {
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

/** Null: the chain has not decided yet. */
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
