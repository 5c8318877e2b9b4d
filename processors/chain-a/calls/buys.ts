/**
 * Stores the recent purchases of a token, in pools and on its curve. They are needed when a chat post
 * recommends the token.
 */
import type { ChainAFact } from '../../../schemas/chain-a/facts.ts'
import type { StageRecord } from '../../../schemas/stage.ts'
import type { Address, BlockNumber, DurationMs, EpochMs, TxHash, Wei } from '../../../schemas/units.ts'
import { readHex, writeHex } from '../../hex-bytes.ts'

/**
 * Purchases that are too old are deleted together, as soon as they are at least this number and at least a quarter
 * of all stored purchases. This costs little per purchase.
 */
const staleCountMax = 8

/**
 * The purchases as rows of bytes, oldest first. One object with strings per purchase would take more than
 * twice the memory.
 */
export type Buys = {
  count: number
  /** One row of `rowBytes` per purchase, see `at`. The array may have unused rows at the end. */
  rows: Uint8Array
  /**
   * One row of `traderBytes` per purchase: a byte of 1 and the address of the trader, or zeros if the trader is
   * unknown. It may be shorter than `rows`. Only trades on a curve have one, and they come before the
   * trades in pools.
   */
  traders: Uint8Array
}

/** Where the fields of a row begin, in bytes. The amount has the low 64 bits first. */
const at = { atMs: 0, block: 8, lowWei: 16, highWei: 24, txHash: 32 } as const
const rowBytes = 64
const hashBytes = 32
const traderBytes = 21

export type Buy = Readonly<{ block: BlockNumber; ethWei: Wei; txHash: TxHash; trader: Address | null }>

type BuyFact = Extract<ChainAFact, { type: 'Swap' | 'CurveTraded' }>

const noRows = new Uint8Array(0)

/**
 * One row that is being written or read. A `DataView` of the rows of each token would take longer to make than a purchase
 * takes to store.
 */
const row = new Uint8Array(rowBytes)
const rowView = new DataView(row.buffer)

export const noBuys = (): Buys => ({ count: 0, rows: noRows, traders: noRows })

export const hasBuys = ({ count }: Buys): boolean => count > 0

export const isBuy = (fact: StageRecord): fact is BuyFact =>
  (fact.type === 'Swap' || fact.type === 'CurveTraded') && (fact as BuyFact).data.ethWei > 0n

/**
 * Adds a purchase. Purchases must come in order of time. The trader of a curve trade is known. The sender of
 * a swap is known only after a lookup.
 */
export function addBuy(buys: Buys, { type, data }: BuyFact, memoryMs: DurationMs): void {
  const { blockAtMs, blockNumber, ethWei, txHash } = data
  const index = buys.count
  if (index * rowBytes === buys.rows.length) buys.rows = grown(buys.rows, (index + (index >> 2) + 4) * rowBytes)
  rowView.setFloat64(at.atMs, blockAtMs)
  rowView.setFloat64(at.block, blockNumber)
  rowView.setBigUint64(at.lowWei, ethWei)
  rowView.setBigUint64(at.highWei, ethWei >> 64n)
  // Otherwise, a hash that is too short would leave bytes of another token in the row.
  row.fill(0, at.txHash)
  writeHex(row, at.txHash, txHash)
  buys.rows.set(row, index * rowBytes)
  if (type === 'CurveTraded') writeTrader(buys, index, data.trader)
  buys.count = index + 1
  const stale = buys.count >> 2
  if (stale >= staleCountMax && atMsOf(buys, stale) <= blockAtMs - memoryMs) dropBefore(buys, stale)
}

/** Deletes the purchases that are at least `memoryMs` older than `atMs`, and the unused rows. */
export function pruneBuys(buys: Buys, atMs: EpochMs, memoryMs: DurationMs): void {
  const first = firstAfter(buys, atMs - memoryMs)
  if (first > 0 || buys.count * rowBytes < buys.rows.length) dropBefore(buys, first)
}

/** Returns the buys in `(untilMs - precallMs, untilMs]`, oldest first. */
export function buysBefore(buys: Buys, untilMs: EpochMs, precallMs: DurationMs): Buy[] {
  const [from, to] = [firstAfter(buys, untilMs - precallMs), firstAfter(buys, untilMs)]
  return Array.from({ length: to - from }, (_, index) => buyAt(buys, from + index))
}

function atMsOf({ rows }: Buys, index: number): EpochMs {
  const rowAt = index * rowBytes
  for (let byte = at.atMs; byte < at.block; byte++) row[byte] = rows[rowAt + byte] as number
  return rowView.getFloat64(at.atMs)
}

function buyAt({ rows, traders }: Buys, index: number): Buy {
  const rowAt = index * rowBytes
  row.set(rows.subarray(rowAt, rowAt + rowBytes))
  const traderAt = index * traderBytes
  return {
    block: rowView.getFloat64(at.block),
    ethWei: (rowView.getBigUint64(at.highWei) << 64n) | rowView.getBigUint64(at.lowWei),
    txHash: readHex(row, at.txHash, hashBytes) as TxHash,
    trader: traders[traderAt] === 1 ? (readHex(traders, traderAt + 1, traderBytes - 1) as Address) : null,
  }
}

/** Returns the index of the first buy later than `atMs`. If there is none, returns the number of buys. */
function firstAfter(buys: Buys, atMs: EpochMs): number {
  let index = 0
  while (index < buys.count && atMsOf(buys, index) <= atMs) index++
  return index
}

/**
 * Returns the largest number of different transactions or wallets among the purchases of one block. `nameOf`
 * returns the transaction or wallet of a purchase, or null if it is unknown.
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

function writeTrader(buys: Buys, index: number, trader: Address): void {
  const from = index * traderBytes
  if (from >= buys.traders.length) buys.traders = grown(buys.traders, (buys.rows.length / rowBytes) * traderBytes)
  buys.traders[from] = 1
  writeHex(buys.traders, from + 1, trader)
}

function dropBefore(buys: Buys, index: number): void {
  buys.rows = cut(buys.rows, index * rowBytes, buys.count * rowBytes)
  buys.traders = cut(buys.traders, index * traderBytes, buys.count * traderBytes)
  buys.count -= index
}

/** Like `slice`, but an empty array is always the same one. Each array takes 180 bytes. */
const cut = (bytes: Uint8Array, from: number, to: number): Uint8Array =>
  Math.min(to, bytes.length) > from ? bytes.slice(from, to) : noRows

function grown(bytes: Uint8Array, length: number): Uint8Array {
  const longer = new Uint8Array(length)
  longer.set(bytes)
  return longer
}
