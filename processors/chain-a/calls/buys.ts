/** The buys of a token in its last minutes, in pools and on its curve: who bought before a post. */
import type { ChainAFact } from '../../../schemas/chain-a/facts.ts'
import type { StageRecord } from '../../../schemas/stage.ts'
import type { Hex } from '../../../schemas/units.ts'

/** Older buys stay until there are more than this many and more than half of all, so removing them is cheap on average. */
const staleCountMax = 16

/** One list, oldest first: an object or five lists would cost more than the rest of the rules at every buy. */
export type Buys = { kept: (number | bigint | Hex | null)[] }

export type Buy = Readonly<{ block: number; ethWei: bigint; txHash: Hex; trader: Hex | null }>

type BuyFact = Extract<ChainAFact, { type: 'Swap' | 'CurveTraded' }>

/** Numbers of a buy in the list: `atMs`, `block`, `ethWei`, `txHash` and `trader`. */
const width = 5

export const noBuys = (): Buys => ({ kept: [] })

export const hasBuys = ({ kept }: Buys): boolean => kept.length > 0

/** Whether a fact that set a price is a buy. */
export const isBuy = (fact: StageRecord): fact is BuyFact =>
  (fact.type === 'Swap' || fact.type === 'CurveTraded') && (fact as BuyFact).data.ethWei > 0n

/** Adds a buy that is not older than those before it. The trader of one on a curve is in the log, that of a swap must be asked for. */
export function addBuy(buys: Buys, { type, data }: BuyFact, memoryMs: number): void {
  const { blockAtMs, blockNumber, ethWei, txHash } = data
  buys.kept.push(blockAtMs, blockNumber, ethWei, txHash, type === 'CurveTraded' ? data.trader : null)
  const stale = Math.floor(buys.kept.length / width / 2)
  if (stale >= staleCountMax && atMsOf(buys, stale) <= blockAtMs - memoryMs) dropBefore(buys, stale)
}

/** Forgets the buys of `memoryMs` before the instant and earlier. */
export function pruneBuys(buys: Buys, atMs: number, memoryMs: number): void {
  const first = firstAfter(buys, atMs - memoryMs)
  if (first > 0) dropBefore(buys, first)
}

/** The buys of so long up to the instant, oldest first. */
export function buysBefore(buys: Buys, untilMs: number, precallMs: number): Buy[] {
  const [from, to] = [firstAfter(buys, untilMs - precallMs), firstAfter(buys, untilMs)]
  return Array.from({ length: to - from }, (_, index) => buyAt(buys, from + index))
}

const atMsOf = ({ kept }: Buys, index: number): number => kept[index * width] as number

function buyAt({ kept }: Buys, index: number): Buy {
  const [, block, ethWei, txHash, trader] = kept.slice(index * width, (index + 1) * width)
  return { block: block as number, ethWei: ethWei as bigint, txHash: txHash as Hex, trader: trader as Hex | null }
}

/** The index of the first buy later than the instant; their number where there is none. */
function firstAfter(buys: Buys, atMs: number): number {
  const count = buys.kept.length / width
  let index = 0
  while (index < count && atMsOf(buys, index) <= atMs) index++
  return index
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
  buys.kept = buys.kept.slice(index * width)
}
