/** The buys of a token in its last minutes, in pools and on its curve: who bought before a post. */
import { callRules } from '../../../schemas/calls/rules.ts'
import type { ChainAFact } from '../../../schemas/chain-a/facts.ts'
import type { Hex } from '../../../schemas/units.ts'

const { precallMs, priceMemoryMs, scoreMs } = callRules

/** A post may become known so much later than the path holds the hour before it. */
const memoryMs = precallMs + priceMemoryMs - scoreMs
/** Older buys stay until there are more than this many and more than half of all, so removing them is cheap on average. */
const staleCountMax = 16

/** Parallel arrays, oldest first. The trader of a buy on a curve is in the log; that of a swap must be asked for. */
export type Buys = {
  atMs: number[]
  block: number[]
  ethWei: bigint[]
  txHash: Hex[]
  trader: (Hex | null)[]
}

export type Buy = Readonly<{ block: number; ethWei: bigint; txHash: Hex; trader: Hex | null }>

type BuyFact = Extract<ChainAFact, { type: 'Swap' | 'CurveTraded' }>

export const noBuys = (): Buys => ({ atMs: [], block: [], ethWei: [], txHash: [], trader: [] })

export const isBuy = (fact: ChainAFact): fact is BuyFact =>
  (fact.type === 'Swap' || fact.type === 'CurveTraded') && fact.data.ethWei > 0n

/** Adds a buy that is not older than those before it. */
export function addBuy(buys: Buys, fact: BuyFact): void {
  const { data } = fact
  buys.atMs.push(data.blockAtMs)
  buys.block.push(data.blockNumber)
  buys.ethWei.push(data.ethWei)
  buys.txHash.push(data.txHash)
  buys.trader.push(fact.type === 'CurveTraded' ? fact.data.trader : null)
  const stale = buys.atMs.length >> 1
  if (stale >= staleCountMax && (buys.atMs[stale] ?? 0) <= data.blockAtMs - memoryMs) dropBefore(buys, stale)
}

/** Forgets the buys of `memoryMs` before the instant and earlier. */
export function pruneBuys(buys: Buys, atMs: number): void {
  const first = buys.atMs.findIndex((buyAtMs) => buyAtMs > atMs - memoryMs)
  if (first !== 0) dropBefore(buys, first === -1 ? buys.atMs.length : first)
}

/** Those in the ten minutes up to the instant, oldest first. */
export function buysBefore(buys: Buys, untilMs: number): Buy[] {
  return buys.atMs.flatMap((atMs, index) => {
    const [block, ethWei, txHash] = [buys.block[index], buys.ethWei[index], buys.txHash[index]]
    if (atMs <= untilMs - precallMs || atMs > untilMs) return []
    if (block === undefined || ethWei === undefined || txHash === undefined) return []
    return [{ block, ethWei, txHash, trader: buys.trader[index] ?? null }]
  })
}

/** The most different names of buys in one block. */
export function mostInOneBlock(buys: readonly Buy[], nameOf: (buy: Buy) => Hex | null): number {
  const names = new Map<number, Set<Hex>>()
  for (const buy of buys) {
    const name = nameOf(buy)
    if (name === null) continue
    const its = names.get(buy.block) ?? new Set()
    names.set(buy.block, its.add(name))
  }
  return Math.max(0, ...[...names.values()].map(({ size }) => size))
}

function dropBefore(buys: Buys, index: number): void {
  buys.atMs = buys.atMs.slice(index)
  buys.block = buys.block.slice(index)
  buys.ethWei = buys.ethWei.slice(index)
  buys.txHash = buys.txHash.slice(index)
  buys.trader = buys.trader.slice(index)
}
