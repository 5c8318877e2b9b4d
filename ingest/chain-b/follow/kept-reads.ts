/** What was read of a range that failed: the next attempt at it does not ask for that again. */
import type { ChainBReader, NodeTransaction, SlotRange } from '../node/reader.ts'

export type Kept<Key, Value> = Readonly<{
  /** What was read under this key, or else what is read now. A null is not kept: the node may have it later. */
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

type Parts = Pick<ChainBReader, 'block' | 'transaction' | 'transactionsOf'>

export type KeptReads = Readonly<{ reader: Parts; forget(): void; isEmpty(): boolean }>

/** The same reader, which keeps what it has read until it is told to forget it. */
export function createKeptReads(reader: Parts): KeptReads {
  const blocks = createKept<number, Awaited<ReturnType<Parts['block']>>>()
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

/** An attempt after a failure asks for fewer slots. */
const holds = (whole: SlotRange, part: SlotRange): boolean =>
  whole.fromSlot <= part.fromSlot && whole.toSlot >= part.toSlot

const isIn = ({ fromSlot, toSlot }: SlotRange, slot: number): boolean => slot >= fromSlot && slot <= toSlot
