/**
 * The limit of a payer who has bought before. Each purchase gives the payer eight tries. The signer is
 * verified before a try is counted, so other clients at the same address cannot use up the tries. A payer who
 * sends worthless payments must make one purchase for every eight of them.
 */

import type { EpochMs } from '../../../schemas/units.ts'
import { createRecentCounts } from '../../recent-counts.ts'
import type { Client } from './client.ts'
import type { Recoverable, Recovery } from './recovery.ts'

export type OwnLimit = Readonly<{
  /**
   * The results:
   * - `own`: the payer signed, and the limits of the address do not apply.
   * - `signed`: the payer signed but has no tries left.
   * - `forged`: another key signed.
   * - `late`: the turn to recover the signer did not come in time.
   * - Null: this limit does not decide about the payment.
   */
  judge: (client: Client, payment: Recoverable) => Promise<'own' | 'signed' | 'forged' | 'late' | null>
  noteBought: (payer: string) => void
}>

/**
 * The maximum number of tries after the payer's last purchase. A try is forgotten after half an hour to an
 * hour.
 */
const triesMax = 8

export function createOwnLimit(
  options: Readonly<{ nowMs: () => EpochMs; hasBought: (payer: string) => boolean; recovery: Recovery }>,
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
      // The payer's other payments may have used up the tries while the signer was recovered.
      if (!hasTries(payer)) return 'signed'
      tried.add(payer)
      // The payer signed, so the turn for the recovery is given back. The queue then counts only the turns
      // that forgeries in the payer's name have used.
      if (payment.signer !== null) recovery.giveBack(client)
      return 'own'
    },
    noteBought: (payer) => tried.clear(payer),
  }
}
