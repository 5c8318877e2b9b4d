/** Transactions from the subscription that were not read yet, by signature. They save reads, but prove nothing. */

import type { BlockNumber } from '../../../schemas/units.ts'
import type { EventTransaction } from './read-events.ts'

export type HeldTransaction = Readonly<{ slot: BlockNumber; transaction: EventTransaction }>

export type Held = Readonly<{
  put(held: HeldTransaction): void
  /** The transactions up to this slot. They count only if the list of their slot has them too. */
  upTo(slot: BlockNumber): readonly HeldTransaction[]
  forgetUpTo(slot: BlockNumber): void
}>

/** Drops the oldest when it is full. Those are read from the node, like any transaction that was never sent. */
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
