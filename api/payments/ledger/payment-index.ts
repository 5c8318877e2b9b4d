/**
 * Indexes payments by a key other than the id. The index is computed from the ledger, so a restart loses no
 * payment.
 */
import type { PaymentChanged } from '../../../schemas/payments.ts'

export type PaymentIndex = Readonly<{
  apply: (change: PaymentChanged) => void
  drop: (payment: PaymentChanged) => void
  /** Returns the id of the newest payment with the key. */
  find: (key: string) => string | undefined
  /** Returns whether a payment other than the given one has the key, or several payments have had the key. */
  hasOther: (key: string, paymentId: string) => boolean
}>

/** `keyOf` returns null for a payment without a key. A payment that was certainly not paid is not indexed. */
export function createPaymentIndex(keyOf: (payment: PaymentChanged) => string | null): PaymentIndex {
  const ids = new Map<string, string>()
  /** The keys that several payments have had. A key is removed when the newest payment with it is dropped. */
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
