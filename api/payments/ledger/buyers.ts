/** Who has bought before, the latest of them, folded from the ledger: a restart forgets nobody. */
import type { PaymentChanged } from '../../../schemas/payments.ts'

export type BuyersFold = Readonly<{
  apply: (change: PaymentChanged) => void
  /** `payer` in lower case. */
  has: (payer: string) => boolean
}>

/** Some 10 MB. Who wants to push an honest buyer out has to buy this often. */
const buyersMax = 50_000

export function createBuyersFold(max = buyersMax): BuyersFold {
  /** In the order of their last purchases. */
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
