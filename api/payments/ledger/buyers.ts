/**
 * The most recent buyers. They are computed from the records of the ledger, so a restart loses none of them.
 */
import type { PaymentChanged } from '../../../schemas/payments.ts'

export type BuyersFold = Readonly<{
  apply: (change: PaymentChanged) => void
  /** Whether the payer, given in lower case, is among the buyers. */
  has: (payer: string) => boolean
}>

/**
 * The maximum number of remembered buyers. This number takes about 10 MB of memory. To displace an honest
 * buyer, an attacker needs this number of purchases from different payers.
 */
const buyersMax = 50_000

export function createBuyersFold(max = buyersMax): BuyersFold {
  /** The payers in lower case, in the order of their last purchase. */
  const buyers = new Set<string>()
  return {
    apply: ({ state, payer }) => {
      // A crash or a failed append can lose the record of the settlement before that of the delivery.
      if (state !== 'settled' && state !== 'delivered') return
      const buyer = payer.toLowerCase()
      buyers.delete(buyer)
      buyers.add(buyer)
      if (buyers.size <= max) return
      const [oldest = ''] = buyers
      buyers.delete(oldest)
    },
    has: (payer) => buyers.has(payer),
  }
}
