import { createReserveChain, type ReserveChain } from '../reserves/reserve-chain.ts'
import type { KnownMints, MintFact } from '../types.ts'
import { mintOfKey } from './decode-slot.ts'

/** The reserves of the curves after the last published range, as long as their mints are in the book. */
export type ReserveMemory = Readonly<{
  chain(): ReserveChain
  /** Forgets all reserves. After a reorg they are unknown, and the first trade of each curve proves nothing. */
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
