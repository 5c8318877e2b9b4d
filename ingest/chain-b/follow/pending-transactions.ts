/**
 * Stores transactions that the subscription sent, until ingest reads their slots. Ingest then does not need
 * to read these transactions from the node. However, a stored transaction may belong to a block that a reorg
 * replaced.
 */

import type { BlockNumber } from '../../../schemas/units.ts'
import type { EventTransaction } from './read-events.ts'

export type PendingTransaction = Readonly<{ slot: BlockNumber; transaction: EventTransaction }>

export type PendingTransactions = Readonly<{
  put(held: PendingTransaction): void
  /**
   * Returns the stored transactions of this slot and earlier slots. A stored transaction counts only if the
   * node lists it, or returns it on request.
   */
  upTo(slot: BlockNumber): readonly PendingTransaction[]
  forgetUpTo(slot: BlockNumber): void
}>

/**
 * Drops the oldest transaction when more than `countMax` are stored. Ingest then reads the dropped
 * transaction from the node.
 */
export function createPendingTransactions(countMax: number): PendingTransactions {
  const bySignature = new Map<string, PendingTransaction>()
  return {
    put(held) {
      bySignature.set(held.transaction.signature, held)
      if (bySignature.size <= countMax) return
      const [oldest] = bySignature.keys()
      if (oldest !== undefined) bySignature.delete(oldest)
    },
    upTo: (slot) => [...bySignature.values()].filter((held) => held.slot <= slot),
    forgetUpTo(slot) {
      for (const [signature, held] of bySignature) if (held.slot <= slot) bySignature.delete(signature)
    },
  }
}
