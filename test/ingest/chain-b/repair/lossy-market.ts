/**
 * Simulated trades. The source of the service loses some of their transactions, while a simulated node has
 * all of them.
 */
import { setImmediate } from 'node:timers/promises'
import { base58 } from '@scure/base'
import { decodeTransaction } from '../../../../ingest/chain-b/decode/decode-transaction.ts'
import { curveOfMint } from '../../../../ingest/chain-b/decode/derived-addresses.ts'
import { eventsIn } from '../../../../ingest/chain-b/follow/read-events.ts'
import type { ReserveMemory } from '../../../../ingest/chain-b/follow/reserve-memory.ts'
import type { NodeTransaction } from '../../../../ingest/chain-b/node/reader.ts'
import { isOnTime } from '../../../../ingest/chain-b/repair/place-in-slot.ts'
import { markGaps } from '../../../../ingest/chain-b/reserves/mark-gaps.ts'
import type { ChainBRange, ChainBSource, MintFact } from '../../../../ingest/chain-b/types.ts'
import type { ChainBEvent, CurveTraded } from '../../../../schemas/chain-b/facts.ts'
import type { Hex } from '../../../../schemas/units.ts'
import { encodeTransaction } from '../../../support/chain-b/fake-helius/encode-facts.ts'
import { groupBy } from '../../../support/group-by.ts'
import { rangesOf } from '../simulated/tell.ts'
import { curveBytes, type TapeNode } from './recorded-source.ts'

export type LossyMarket = Readonly<{
  /** All facts, in ranges of a few slots. */
  ranges: readonly ChainBRange[]
  /** The transactions that may be lost, in chain order. */
  transactions: readonly Losable[]
}>

type Losable = Readonly<{ key: string; txHash: Hex; slot: number; atMs: number; wire: NodeTransaction }>

type Span = Readonly<{ seed: number; fromMs: number; toMs: number; launchesPerDay: number }>

/** Creates the facts by decoding the node's transactions, so that the source and the node agree. */
export async function lossyMarketOf({ seed, fromMs, toMs, launchesPerDay }: Span): Promise<LossyMarket> {
  const told = await rangesOf({ seed, fromMs, toMs, launchesPerDay, rangeSec: 1 })
  const facts = told.flatMap((range) => range.facts)
  const losable = new Map(
    [...groupBy(facts, ({ fact }) => fact.data.txHash)].flatMap(([hash, its]) => losableOf(hash, its)),
  )
  const ranges = told.map((range) => ({
    ...range,
    facts: range.facts.map(
      (keyed) => losable.get(keyed.fact.data.txHash)?.facts.get(keyed.fact.data.logIndex) ?? keyed,
    ),
  }))
  return { ranges, transactions: [...losable.values()].map(({ transaction }) => transaction) }
}

type Told = Readonly<{ transaction: Losable; facts: ReadonlyMap<number, MintFact> }>

/**
 * Returns the transaction with its facts if it may be lost. It may be lost if each fact is a trade on a curve
 * against SOL, or the end of such a curve.
 */
function losableOf(txHash: Hex, its: readonly MintFact[]): readonly (readonly [Hex, Told])[] {
  const [first] = its
  const events = its.map(({ fact }) => fact)
  if (!first || !events.every(isLosable) || its.some(({ key }) => key !== first.key)) return []
  const { blockNumber: slot, blockAtMs: atMs, blockHash, txIndex } = first.fact.data
  const signature = base58.encode(Buffer.from(txHash.slice(2), 'hex'))
  const mint = { mint: first.key, curve: first.key, pool: first.key, creator: `0x${'5a'.repeat(32)}` as const }
  const { transaction, meta } = encodeTransaction({ facts: events, mint, names: [] }, { signature, time: atMs / 1000 })
  const wire = { signature, slot, index: txIndex, wire: { transaction, meta } } as unknown as NodeTransaction
  const read = eventsIn(wire)
  if (read.kind !== 'read') throw new TypeError(`a transaction that is ${read.kind}`)
  const place = { blockNumber: slot, blockAtMs: atMs, txIndex, blockHash, txHash }
  const decoded = decodeTransaction(read.transaction.events, { place, poolOf: () => undefined }).facts
  const facts = new Map(decoded.map((keyed) => [keyed.fact.data.logIndex, keyed]))
  if (events.some(({ data }) => !facts.has(data.logIndex))) return []
  return [[txHash, { transaction: { key: first.key, txHash, slot, atMs, wire }, facts }]]
}

const isLosable = (fact: MintFact['fact']): fact is ChainBEvent =>
  fact.type === 'CurveCompleted' || (fact.type === 'CurveTraded' && fact.data.quoteMint === null && !fact.data.isMayhem)

type Clock = { nowMs: number }

export type LossyOptions = Readonly<{ lost: ReadonlySet<Hex>; reserves: ReserveMemory; clock: Clock }>

/**
 * Returns the source that loses transactions. The clock is set to the time of the newest block. After each
 * range, the repairs of gaps get time to run.
 */
export const lossySourceOf = ({ ranges }: LossyMarket, { lost, reserves, clock }: LossyOptions): ChainBSource => ({
  kind: 'simulated',
  async *ranges() {
    for (const range of ranges) {
      clock.nowMs = range.head.atMs
      const heard = range.facts.filter(({ fact }) => !lost.has(fact.data.txHash))
      yield { ...range, facts: markAll(heard, reserves) }
      for (let turn = 0; turn < 20; turn++) await setImmediate()
    }
  },
})

function markAll(heard: readonly MintFact[], reserves: ReserveMemory): readonly MintFact[] {
  return heard.flatMap((keyed) => (isOnTime(keyed) ? markGaps([keyed], reserves.chain()).facts : [keyed]))
}

type NodeOptions = Readonly<{
  clock: Clock
  /** The time after a transaction until the node knows it, in milliseconds. */
  delayMsOf?: (txHash: Hex) => number
}>

export async function lossyNodeOf(
  { ranges, transactions }: LossyMarket,
  { clock, delayMsOf = () => 0 }: NodeOptions,
): Promise<TapeNode> {
  const ofKey = groupBy(transactions, ({ key }) => key)
  const keyOf = new Map(await Promise.all([...ofKey.keys()].map(async (key) => [await curveOfMint(key), key] as const)))
  const facts = ranges.flatMap((range) => range.facts)
  for (const { key, fact } of facts)
    if (fact.type === 'CurveLaunched' || fact.type === 'CurveFound')
      keyOf.set(base58.encode(Buffer.from(fact.data.curve.slice(2), 'hex')), key)
  const tradesOf = groupBy(facts.flatMap(tradeIn), ({ key }) => key)
  const blocks = new Map(facts.map(({ fact: { data } }) => [data.blockNumber, data]))
  const headSlot = () => ranges.findLast(({ head }) => head.atMs <= clock.nowMs)?.head.number ?? 0
  return {
    transactionsOf: async (address, { fromSlot, toSlot }) =>
      (ofKey.get(keyOf.get(address) ?? '') ?? []).flatMap(({ txHash, atMs, slot, wire }) =>
        slot >= fromSlot && slot <= toSlot && atMs + delayMsOf(txHash) <= clock.nowMs ? [wire] : [],
      ),
    accounts: async (addresses) => {
      const slot = headSlot()
      return addresses.map((address) => {
        const last = tradesOf.get(keyOf.get(address) ?? '')?.findLast(({ trade }) => trade.blockNumber <= slot)?.trade
        if (!last) return null
        const { virtualTokenRaw, virtualQuoteRaw, realTokenRaw, realQuoteRaw } = last
        return {
          slot,
          owner: '',
          bytes: curveBytes([virtualTokenRaw, virtualQuoteRaw, realTokenRaw, realQuoteRaw, 10n ** 15n]),
        }
      })
    },
    block: async (slot) => {
      const data = blocks.get(slot)
      if (!data) return null
      return { number: slot, hash: data.blockHash, atMs: data.blockAtMs, parentSlot: slot - 1, parentHash: '0x' }
    },
  }
}

const tradeIn = ({ key, fact }: MintFact): readonly Readonly<{ key: string; trade: CurveTraded }>[] =>
  fact.type === 'CurveTraded' ? [{ key, trade: fact.data }] : []
