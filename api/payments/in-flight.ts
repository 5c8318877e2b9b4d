/** Running purchases. Duplicate requests join the running purchase. */
import type { PaymentOutcome } from './payment.ts'
import { identifierKeyOf } from './payment-identifier.ts'
import type { ReadPayment } from './payment-reader.ts'

/** A running purchase. Concurrent duplicates of its payment share the outcome. */
export type RunningPurchase = Readonly<{
  requestId: string
  signedHash: string | null
  clients: Set<() => boolean>
  outcome: Promise<PaymentOutcome>
}>

export type InFlight = Readonly<{
  find: (paymentId: string) => RunningPurchase | undefined
  /** Returns the running purchase of the same payer with the same payment identifier. */
  findNamed: (payment: ReadPayment) => RunningPurchase | undefined
  /** Keeps the purchase until its outcome is known. */
  add: (paymentId: string, payment: ReadPayment, purchase: RunningPurchase) => void
  all: () => readonly Promise<PaymentOutcome>[]
}>

export function createInFlight(): InFlight {
  const byId = new Map<string, RunningPurchase>()
  const byName = new Map<string, RunningPurchase>()
  const find = (purchases: ReadonlyMap<string, RunningPurchase>, key: string | null) =>
    key === null ? undefined : purchases.get(key)

  return {
    find: (paymentId) => byId.get(paymentId),
    findNamed: (payment) => find(byName, nameOf(payment)),
    add: (paymentId, payment, purchase) => {
      const places = [
        [byId, paymentId],
        [byName, nameOf(payment)],
      ] as const
      for (const [purchases, key] of places) if (key !== null) purchases.set(key, purchase)
      const remove = () => {
        for (const [purchases, key] of places)
          if (key !== null && purchases.get(key) === purchase) purchases.delete(key)
      }
      purchase.outcome.then(remove, remove)
    },
    all: () => [...byId.values()].map(({ outcome }) => outcome),
  }
}

const nameOf = ({ identity, clientPaymentId }: ReadPayment): string | null =>
  clientPaymentId === null ? null : identifierKeyOf(identity.payer, clientPaymentId)
