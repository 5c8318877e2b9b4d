/** Indexes payments by a key other than the id. Folded from the ledger, so a restart forgets none. */
import type { PaymentChanged } from '../../../schemas/payments.ts'

export type PaymentIndex = Readonly<{
  apply: (change: PaymentChanged) => void
  drop: (payment: PaymentChanged) => void
  /** The id of the newest payment with the key. */
  find: (key: string) => string | undefined
  /** Whether another payment has the key, or had it at the same time as this one. */
  hasOther: (key: string, paymentId: string) => boolean
}>

/** `keyOf`: null for a payment without a key. A payment that was certainly not paid is not indexed. */
export function createPaymentIndex(keyOf: (payment: PaymentChanged) => string | null): PaymentIndex {
  const ids = new Map<string, string>()
  /** Keys that several payments had, until the newest of them is dropped. */
  const shared = new Set<string>()
  const drop = (payment: PaymentChanged) => {
    const key = keyOf(payment)
    if (key === null || ids.get(key) !== payment.paymentId) return
    ids.delete(key)
    shared.delete(key)
  }
  const hasOther = (key: string, paymentId: string) => shared.has(key) || (ids.get(key) ?? paymentId) !== paymentId
  return {
    apply: (change) => {
      const key = keyOf(change)
      if (key === null) return
      if (change.state === 'released') return drop(change)
      if (hasOther(key, change.paymentId)) shared.add(key)
      ids.set(key, change.paymentId)
    },
    drop,
    find: (key) => ids.get(key),
    hasOther,
  }
}
