/** The most recent buyers, folded from the ledger, so a restart forgets none. */
import type { PaymentChanged } from '../../../schemas/payments.ts'

export type BuyersFold = Readonly<{
  apply: (change: PaymentChanged) => void
  /** `payer` in lower case. */
  has: (payer: string) => boolean
}>

/** About 10 MB. To evict an honest buyer, an attacker needs this many purchases from different payers. */
const buyersMax = 50_000

export function createBuyersFold(max = buyersMax): BuyersFold {
  /** In the order of the last purchase. */
  const buyers = new Set<string>()
  return {
    apply: ({ state, payer }) => {
      if (state !== 'settled') return
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
