/**
 * Holds transactions that the subscription sent, until ingest reads their slots. A held transaction need not be read from
 * the node, but it is no proof that the transaction is on the chain.
 */

import type { BlockNumber } from '../../../schemas/units.ts'
import type { EventTransaction } from './read-events.ts'

export type HeldTransaction = Readonly<{ slot: BlockNumber; transaction: EventTransaction }>

export type Held = Readonly<{
  put(held: HeldTransaction): void
  /**
   * Returns the held transactions of this slot and of earlier slots. Such a transaction counts only if the node lists it, or
   * returns it on request.
   */
  upTo(slot: BlockNumber): readonly HeldTransaction[]
  forgetUpTo(slot: BlockNumber): void
}>

/**
 * Drops the oldest transaction when more than `countMax` are held. A dropped transaction is read from the node, like a
 * transaction that the subscription never sent.
 */
export function createHeld(countMax: number): Held {
  const bySignature = new Map<string, HeldTransaction>()
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
