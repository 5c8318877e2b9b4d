/**
 * The limit of a payer who has bought before. Others at his address can use up the address's limits and cannot use up his:
 * the signer is recovered here before anything counts against him. He has eight tries for each purchase, so payments
 * without money cost a purchase each eight.
 */
import { createRecentCounts } from '../../recent-counts.ts'
import type { Signer } from '../payment-network.ts'
import { createRecoveryBudget } from './recovery-budget.ts'

export type Client = Readonly<{ address: string; payer: string }>

export type OwnLimit = Readonly<{
  /** `own`: he signed it, and his address does not matter. Null: its limits decide. */
  judge: (client: Client, signer: () => Promise<Signer>) => Promise<'own' | 'forged' | null>
  noteBought: (payer: string) => void
}>

/** Since his last purchase, within half an hour to an hour. */
const triesMax = 8
/** Signers recovered within a second for nothing: of payments that name one payer from one address, and of all. */
const recoveredMax = 10
const recoveredOfAllMax = 40

export function createOwnLimit(
  options: Readonly<{ nowMs: () => number; hasBought: (payer: string) => boolean }>,
): OwnLimit {
  const { nowMs, hasBought } = options
  const tried = createRecentCounts({ generationMs: 1_800_000, nowMs })
  const budget = createRecoveryBudget(nowMs, { ofOneMax: recoveredMax, ofAllMax: recoveredOfAllMax })
  const hasTries = (payer: string) => tried.count(payer) < triesMax

  return {
    judge: async ({ address, payer }, signer) => {
      if (!hasBought(payer) || !hasTries(payer) || !budget.take(`${address} ${payer}`)) return null
      const signedBy = await signer()
      if (signedBy === 'other') return 'forged'
      // Others of his payments may have been recovered meanwhile.
      if (signedBy === 'unknown' || !hasTries(payer)) return null
      tried.add(payer)
      // His purchases pay for it. The budget is for what is forged in his name.
      budget.giveBack(`${address} ${payer}`)
      return 'own'
    },
    noteBought: (payer) => tried.clear(payer),
  }
}
