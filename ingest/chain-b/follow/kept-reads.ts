/**
 * Caches what was read from the node for a range of slots. If the range fails, the next attempt does not
 * repeat these reads.
 */

import type { BlockNumber } from '../../../schemas/units.ts'
import type { ChainBReader, NodeTransaction, SlotRange } from '../node/reader.ts'

export type Kept<Key, Value> = Readonly<{
  /** Returns the cached value for this key, or reads and caches it. A null is not cached, because the node may have the value later. */
  of(key: Key, read: () => Promise<Value>): Promise<Value>
  forget(): void
  isEmpty(): boolean
}>

export function createKept<Key, Value>(): Kept<Key, Value> {
  const kept = new Map<Key, Value>()
  return {
    async of(key, read) {
      const before = kept.get(key)
      if (before !== undefined) return before
      const value = await read()
      if (value !== null) kept.set(key, value)
      return value
    },
    forget: () => kept.clear(),
    isEmpty: () => kept.size === 0,
  }
}

type ReadOnce = Pick<ChainBReader, 'block' | 'transaction' | 'transactionsOf'>

export type KeptReads = Readonly<{ reader: ReadOnce; forget(): void; isEmpty(): boolean }>

/** Wraps a reader of the node so that its results are cached until `forget` is called. */
export function createKeptReads(reader: ReadOnce): KeptReads {
  const blocks = createKept<number, Awaited<ReturnType<ReadOnce['block']>>>()
  const transactions = createKept<string, NodeTransaction | null>()
  const lists = new Map<string, KeptList>()
  return {
    reader: {
      block: (slot, signal) => blocks.of(slot, () => reader.block(slot, signal)),
      transaction: (signature, signal) => transactions.of(signature, () => reader.transaction(signature, signal)),
      async transactionsOf(address, range, signal) {
        const before = lists.get(address)
        if (before && holds(before.range, range)) return before.found.filter(({ slot }) => isIn(range, slot))
        const found = await reader.transactionsOf(address, range, signal)
        lists.set(address, { range, found })
        return found
      },
    },
    forget() {
      blocks.forget()
      transactions.forget()
      lists.clear()
    },
    isEmpty: () => blocks.isEmpty() && transactions.isEmpty() && lists.size === 0,
  }
}

type KeptList = Readonly<{ range: SlotRange; found: readonly NodeTransaction[] }>

/** Whether `part` lies within `whole`. Needed because an attempt after a failure may request fewer slots. */
const holds = (whole: SlotRange, part: SlotRange): boolean =>
  whole.fromSlot <= part.fromSlot && whole.toSlot >= part.toSlot

const isIn = ({ fromSlot, toSlot }: SlotRange, slot: BlockNumber): boolean => slot >= fromSlot && slot <= toSlot
