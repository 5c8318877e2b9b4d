/** Finds a payment by something else than its id: one at a time has each key. Folded from the ledger, so a restart forgets none. */
import type { PaymentChanged } from '../../../schemas/payments.ts'

export type PaymentIndex = Readonly<{
  apply: (change: PaymentChanged) => void
  drop: (payment: PaymentChanged) => void
  /** The id of the payment. */
  find: (key: string) => string | undefined
}>

/** `keyOf`: null for a payment without one. What was certainly not paid has none. */
export function createPaymentIndex(keyOf: (payment: PaymentChanged) => string | null): PaymentIndex {
  const ids = new Map<string, string>()
  const drop = (payment: PaymentChanged) => {
    const key = keyOf(payment)
    if (key !== null && ids.get(key) === payment.paymentId) ids.delete(key)
  }
  return {
    apply: (change) => {
      const key = keyOf(change)
      if (change.state === 'released') drop(change)
      else if (key !== null) ids.set(key, change.paymentId)
    },
    drop,
    find: (key) => ids.get(key),
  }
}
