/** The next record of a payment, from the outcome of its settlement or from the chain. Pure. */
import type { PaymentChanged } from '../../schemas/payments.ts'
import type { ChainFinding } from './payment-network.ts'
import type { Settlement } from './settlement.ts'

export function changeOf(payment: PaymentChanged, settlement: Settlement, atMs: number): PaymentChanged {
  switch (settlement.kind) {
    case 'paid':
      return { ...payment, atMs, state: 'settled', transaction: settlement.transaction, reason: null }
    case 'refused':
      return { ...payment, atMs, state: 'released', transaction: null, reason: settlement.reason }
    case 'unknown':
      return { ...payment, atMs, state: 'unknown', transaction: settlement.transaction, reason: 'outcome_unknown' }
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
