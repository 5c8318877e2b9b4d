/** The recent buys of a token, in pools and on its curve, for the precall. */
import type { ChainAFact } from '../../../schemas/chain-a/facts.ts'
import type { StageRecord } from '../../../schemas/stage.ts'
import type { Address, BlockNumber, DurationMs, EpochMs, Hex, TxHash, Wei } from '../../../schemas/units.ts'

/** Old buys are removed in bulk: when they are at least this number, and at least half of all buys. Removal then costs little per buy. */
const staleCountMax = 16

/** The buys as one flat list, oldest first. An object per buy, or five lists, would take more time than the rest of the rules. */
export type Buys = { kept: (number | bigint | Hex | null)[] }

export type Buy = Readonly<{ block: BlockNumber; ethWei: Wei; txHash: TxHash; trader: Address | null }>

type BuyFact = Extract<ChainAFact, { type: 'Swap' | 'CurveTraded' }>

/** The number of list entries per buy: `atMs`, `block`, `ethWei`, `txHash` and `trader`. */
const width = 5

export const noBuys = (): Buys => ({ kept: [] })

export const hasBuys = ({ kept }: Buys): boolean => kept.length > 0

export const isBuy = (fact: StageRecord): fact is BuyFact =>
  (fact.type === 'Swap' || fact.type === 'CurveTraded') && (fact as BuyFact).data.ethWei > 0n

/** Adds a buy. Buys must come in order of time. The trader of a curve trade is known. The sender of a swap is known only after a lookup. */
export function addBuy(buys: Buys, { type, data }: BuyFact, memoryMs: DurationMs): void {
  const { blockAtMs, blockNumber, ethWei, txHash } = data
  buys.kept.push(blockAtMs, blockNumber, ethWei, txHash, type === 'CurveTraded' ? data.trader : null)
  const stale = Math.floor(buys.kept.length / width / 2)
  if (stale >= staleCountMax && atMsOf(buys, stale) <= blockAtMs - memoryMs) dropBefore(buys, stale)
}

/** Deletes buys that are `memoryMs` old or older at the instant. */
export function pruneBuys(buys: Buys, atMs: EpochMs, memoryMs: DurationMs): void {
  const first = firstAfter(buys, atMs - memoryMs)
  if (first > 0) dropBefore(buys, first)
}

/** The buys in `(untilMs - precallMs, untilMs]`, oldest first. */
export function buysBefore(buys: Buys, untilMs: EpochMs, precallMs: DurationMs): Buy[] {
  const [from, to] = [firstAfter(buys, untilMs - precallMs), firstAfter(buys, untilMs)]
  return Array.from({ length: to - from }, (_, index) => buyAt(buys, from + index))
}

const atMsOf = ({ kept }: Buys, index: number): EpochMs => kept[index * width] as number

function buyAt({ kept }: Buys, index: number): Buy {
  const [, block, ethWei, txHash, trader] = kept.slice(index * width, (index + 1) * width)
  return {
    block: block as number,
    ethWei: ethWei as bigint,
    txHash: txHash as TxHash,
    trader: trader as Address | null,
  }
}

/** The index of the first buy later than the instant, or the number of buys. */
function firstAfter(buys: Buys, atMs: EpochMs): number {
  const count = buys.kept.length / width
  let index = 0
  while (index < count && atMsOf(buys, index) <= atMs) index++
  return index
}

/**
 * Returns the largest number of different transactions or wallets among the buys of one block. `nameOf` returns the transaction or wallet
 * of a buy.
 */
export function mostInOneBlock(buys: readonly Buy[], nameOf: (buy: Buy) => TxHash | Address | null): number {
  const names = new Map<number, Set<TxHash | Address>>()
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
