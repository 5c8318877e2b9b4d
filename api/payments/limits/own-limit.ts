/**
 * The limit of a payer who has bought before. Other clients at the same address cannot use up this limit, because the
 * signer is verified here before a try counts against the payer. A payer has eight tries per purchase, so a payer who
 * sends worthless payments must buy once for every eight of them.
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
   * - Null: undecided.
   */
  judge: (client: Client, payment: Recoverable) => Promise<'own' | 'signed' | 'forged' | 'late' | null>
  noteBought: (payer: string) => void
}>

/** The maximum number of tries since the payer's last purchase. A try is forgotten after half an hour to an hour. */
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
      // This recovery counts as one of the payer's own tries, so the turn for the recovery is given back. The rate
      // limit then counts only forgeries in the payer's name.
      if (payment.signer !== null) recovery.giveBack(client)
      return 'own'
    },
    noteBought: (payer) => tried.clear(payer),
  }
}
