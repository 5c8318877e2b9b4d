import { createReserveChain, type ReserveChain } from '../reserves/reserve-chain.ts'
import type { KnownMints, MintFact } from '../types.ts'
import { mintOfKey } from './decode-slot.ts'

/**
 * Remembers the reserves of each curve after the last recorded range of slots, for the mints in the address
 * book.
 */
export type ReserveMemory = Readonly<{
  chain(): ReserveChain
  /**
   * Forgets all reserves, because a reorg makes them unknown. For each curve, the next trade then cannot show
   * that earlier trades are missing.
   */
  beginAnew(): void
  published(facts: readonly MintFact[], book: KnownMints): void
}>

const forgottenAtOnce = 1000

export function createReserveMemory(): ReserveMemory {
  let chain = createReserveChain()
  let keys = new Set<string>()
  return {
    chain: () => chain,
    beginAnew() {
      chain = createReserveChain()
      keys = new Set()
    },
    published(facts, { mints }) {
      for (const { key } of facts) keys.add(key)
      if (keys.size < mints.size + forgottenAtOnce) return
      for (const key of keys)
        if (!mints.has(mintOfKey(key))) {
          chain.forget(key)
          keys.delete(key)
        }
    },
  }
}
