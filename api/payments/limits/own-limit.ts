/**
 * The limit of a payer who has bought before. Others at his address can use up the address's limits and cannot use up his:
 * the signer is recovered here before anything counts against him. He has eight tries for each purchase, so payments
 * without money cost a purchase each eight.
 */
import { createRecentCounts } from '../../recent-counts.ts'
import type { Client } from './client.ts'
import type { Recoverable, Recovery } from './recovery.ts'

export type OwnLimit = Readonly<{
  /** `own`: he signed it, and his address does not matter. `signed`: he did, and has no tries left. Null: nothing is known. */
  judge: (client: Client, payment: Recoverable) => Promise<'own' | 'signed' | 'forged' | 'late' | null>
  noteBought: (payer: string) => void
}>

/** Since his last purchase, within half an hour to an hour. */
const triesMax = 8

export function createOwnLimit(
  options: Readonly<{ nowMs: () => number; hasBought: (payer: string) => boolean; recovery: Recovery }>,
): OwnLimit {
  const { nowMs, hasBought, recovery } = options
  const tried = createRecentCounts({ generationMs: 1_800_000, nowMs })
  const hasTries = (payer: string) => tried.count(payer) < triesMax

  return {
    judge: async (client, payment) => {
      const { payer } = client
      if (!hasBought(payer) || !hasTries(payer)) return null
      const signedBy = await recovery.signerOf(client, payment)
      if (signedBy === 'late') return 'late'
      if (signedBy === 'other') return 'forged'
      if (signedBy === 'unknown') return null
      // Others of his payments may have been recovered meanwhile.
      if (!hasTries(payer)) return 'signed'
      tried.add(payer)
      // His purchases pay for it. The pace is for what is forged in his name.
      if (payment.signer !== null) recovery.giveBack(client)
      return 'own'
    },
    noteBought: (payer) => tried.clear(payer),
  }
}
