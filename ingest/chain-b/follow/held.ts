/**
 * Holds transactions that the subscription sent, until their slots are read. They save reads, but do not prove that they
 * are on the chain.
 */

import type { BlockNumber } from '../../../schemas/units.ts'
import type { EventTransaction } from './read-events.ts'

export type HeldTransaction = Readonly<{ slot: BlockNumber; transaction: EventTransaction }>

export type Held = Readonly<{
  put(held: HeldTransaction): void
  /** The held transactions up to this slot, included. One counts only if the node lists it or returns it when asked. */
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
