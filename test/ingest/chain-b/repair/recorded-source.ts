/**
 * Offers a part of the recorded trades of one mint in two ways. The source loses some trades, and the node
 * has all of them.
 */
import { setImmediate } from 'node:timers/promises'
import type { KeyedEvent } from '../../../../ingest/chain-b/decode/decode-transaction.ts'
import { curveOfMint } from '../../../../ingest/chain-b/decode/derived-addresses.ts'
import { factIdOf } from '../../../../ingest/chain-b/fact-order.ts'
import type { ReserveMemory } from '../../../../ingest/chain-b/follow/reserve-memory.ts'
import type { ChainBReader, NodeTransaction } from '../../../../ingest/chain-b/node/reader.ts'
import { markGaps } from '../../../../ingest/chain-b/reserves/mark-gaps.ts'
import { orderSlot } from '../../../../ingest/chain-b/reserves/order-slot.ts'
import type { ChainBRange, ChainBSource, MintFact } from '../../../../ingest/chain-b/types.ts'
import { beforeTrade } from '../../../../schemas/chain-b/curve.ts'
import type { CurveTraded } from '../../../../schemas/chain-b/facts.ts'
import { encodeTrade, signatureOf, transactionOf } from '../../../support/chain-b/encode-events.ts'
import { type MarketTransaction, recordedMarket } from '../../../support/chain-b/recorded-market.ts'
import { groupBy } from '../../../support/group-by.ts'

/**
 * The transactions of a mint, ordered by slot. The reserves after one trade are the reserves before the next.
 */
export type Tape = Readonly<{ key: string; curve: string; transactions: readonly MarketTransaction[] }>

const mints = [...groupBy(recordedMarket(), ({ facts }) => facts[0]?.key ?? '')]
const curves = await Promise.all(mints.map(([key]) => curveOfMint(key)))
export const tapes: readonly Tape[] = mints.map(([key, transactions], index) => ({
  ...{ key, curve: curves[index] ?? '' },
  transactions: [...transactions].sort((one, other) => one.slot - other.slot),
}))

/**
 * Returns about `count` transactions in whole slots. `share` is 0 for the start of the tape and 1 for its
 * end.
 */
export function stretchOf(tape: Tape, share: number, count: number): Tape {
  const { transactions } = tape
  const first = transactions[Math.floor(share * (transactions.length - count))]?.slot ?? 0
  const from = transactions.findIndex(({ slot }) => slot === first)
  const last = transactions[from + count - 1]?.slot ?? Number.POSITIVE_INFINITY
  return { ...tape, transactions: transactions.slice(from).filter(({ slot }) => slot <= last) }
}

export const eventsOf = ({ transactions }: Tape): readonly KeyedEvent[] => transactions.flatMap(({ facts }) => facts)

export const tradeOf = ({ fact }: KeyedEvent): CurveTraded => {
  if (fact.type !== 'CurveTraded') throw new TypeError(`a ${fact.type}`)
  return fact.data
}

type Clock = { nowMs: number }

export type SourceOptions = Readonly<{
  reserves: ReserveMemory
  /** The ids of the lost events. */
  lost: ReadonlySet<string>
  clock: Clock
  /** Called before each of the empty ranges after the trades. If it returns true, the source ends. */
  isEnded: () => boolean
}>

const slotMs = 400
const hashOf = (slot: number) => `0x${slot.toString(16).padStart(64, '0')}` as const

/** Returns a source with one range per slot with a trade, and then empty ranges. */
export const sourceOf = (tape: Tape, { reserves, lost, clock, isEnded }: SourceOptions): ChainBSource => ({
  kind: 'chain',
  async *ranges(cursor): AsyncGenerator<ChainBRange> {
    const [first] = eventsOf(tape).map(tradeOf)
    if (cursor === null && first) reserves.chain().begin(tape.key, beforeTrade(first), first.blockNumber)
    let fromBlock = cursor === null ? (first?.blockNumber ?? 0) : cursor.number + 1
    let atMs = cursor?.atMs ?? 0
    const rangeOf = (slot: number, facts: readonly MintFact[]): ChainBRange => {
      const range = { fromBlock, head: { number: slot, hash: hashOf(slot), atMs }, facts, newAddresses: [] }
      fromBlock = slot + 1
      clock.nowMs = atMs
      return range
    }
    for (const [slot, transactions] of groupBy(tape.transactions, (transaction) => transaction.slot)) {
      if (slot < fromBlock) continue
      const heard = transactions.map(({ facts }) => facts.filter(({ fact }) => !lost.has(factIdOf(fact))))
      const slotFacts = orderSlot(
        heard.map((facts) => ({ index: null, facts })),
        reserves.chain().lastOf,
      )
      atMs = transactions[0]?.facts[0]?.fact.data.blockAtMs ?? 0
      yield rangeOf(slot, placedIn(slot, markGaps(slotFacts, reserves.chain()).facts))
      await setImmediate()
    }
    while (!isEnded()) {
      atMs += slotMs
      yield rangeOf(fromBlock, [])
      await setImmediate()
    }
  },
})

const placedIn = (slot: number, facts: readonly MintFact[]): readonly MintFact[] =>
  facts.map(({ key, fact }) => ({
    key,
    fact: { ...fact, data: { ...fact.data, blockHash: hashOf(slot) } } as typeof fact,
  }))

export type TapeNode = Pick<ChainBReader, 'transactionsOf' | 'accounts' | 'block'>

/** Returns a node that has all transactions, and the curve as it is after the last one. */
export function nodeOf({ curve, transactions }: Tape, hasIndexes = false): TapeNode {
  const wires = transactions.map(({ slot, trades }, index): NodeTransaction => {
    const signature = signatureOf(trades[0]?.transaction ?? 0)
    const payloads = trades.map((trade) => ({ program: 'pump' as const, payload: encodeTrade(trade) }))
    return { signature, slot, index: hasIndexes ? index : null, wire: transactionOf(payloads, signature) }
  })
  const { slot = 0, trades = [] } = transactions.at(-1) ?? {}
  const last = trades.at(-1)
  const amounts = last ? [last.virtualTokens, last.virtualSol, last.realTokens, last.realSol, 10n ** 15n] : []
  return {
    block: async (slot) => {
      const atMs = transactions.find((each) => each.slot === slot)?.facts[0]?.fact.data.blockAtMs ?? 0
      return { number: slot, hash: hashOf(slot), atMs, parentSlot: slot - 1, parentHash: hashOf(slot - 1) }
    },
    transactionsOf: async (address, { fromSlot, toSlot }) =>
      address === curve ? wires.filter((wire) => wire.slot >= fromSlot && wire.slot <= toSlot) : [],
    accounts: async (addresses) =>
      addresses.map((address) => (address === curve ? { slot, owner: '', bytes: curveBytes(amounts) } : null)),
  }
}

/** Returns the account of a curve in its first layout. */
export function curveBytes(amounts: readonly bigint[]): Buffer {
  const bytes = Buffer.alloc(49)
  Buffer.from('17b7f83760d8ac60', 'hex').copy(bytes)
  for (const [index, amount] of amounts.entries()) bytes.writeBigUInt64LE(amount, 8 + index * 8)
  return bytes
}
