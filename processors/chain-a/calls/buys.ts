/**
 * Stores the recent purchases of a token, in pools and on its curve. They are needed when a chat post
 * recommends the token.
 */
import type { ChainAFact } from '../../../schemas/chain-a/facts.ts'
import type { StageRecord } from '../../../schemas/stage.ts'
import type { Address, BlockNumber, DurationMs, EpochMs, Hex, TxHash, Wei } from '../../../schemas/units.ts'

/**
 * Purchases that are too old are deleted together, as soon as they are at least this number and at least half
 * of all stored purchases. This costs little per purchase.
 */
const staleCountMax = 16

/**
 * The purchases as parallel arrays, oldest first. One object with strings per purchase would take twice the
 * memory. The typed arrays have unused capacity at the end.
 */
export type Buys = {
  count: number
  /** Two numbers per purchase: `atMs` and `block`. */
  places: Float64Array
  ethWei: Wei[]
  /**
   * 53 bytes per purchase. The first 32 are the transaction hash. If the trader is known, a byte of 1 and the
   * address of the trader follow. Otherwise zeros follow.
   */
  names: Uint8Array
}

export type Buy = Readonly<{ block: BlockNumber; ethWei: Wei; txHash: TxHash; trader: Address | null }>

type BuyFact = Extract<ChainAFact, { type: 'Swap' | 'CurveTraded' }>

const hashBytes = 32
const addressBytes = 20
const nameBytes = hashBytes + 1 + addressBytes

const noPlaces = new Float64Array(0)
const noNames = new Uint8Array(0)

export const noBuys = (): Buys => ({ count: 0, places: noPlaces, ethWei: [], names: noNames })

export const hasBuys = ({ count }: Buys): boolean => count > 0

export const isBuy = (fact: StageRecord): fact is BuyFact =>
  (fact.type === 'Swap' || fact.type === 'CurveTraded') && (fact as BuyFact).data.ethWei > 0n

/**
 * Adds a purchase. Purchases must come in order of time. The trader of a curve trade is known. The sender of
 * a swap is known only after a lookup.
 */
export function addBuy(buys: Buys, { type, data }: BuyFact, memoryMs: DurationMs): void {
  const { blockAtMs, blockNumber, ethWei, txHash } = data
  if (buys.count * 2 === buys.places.length) setCapacity(buys, buys.count + (buys.count >> 1) + 2)
  const { count, places, names } = buys
  places[count * 2] = blockAtMs
  places[count * 2 + 1] = blockNumber
  buys.ethWei.push(ethWei)
  const nameAt = count * nameBytes
  writeHex(names, nameAt, txHash)
  if (type === 'CurveTraded') {
    names[nameAt + hashBytes] = 1
    writeHex(names, nameAt + hashBytes + 1, data.trader)
  }
  buys.count = count + 1
  const stale = buys.count >> 1
  if (stale >= staleCountMax && atMsOf(buys, stale) <= blockAtMs - memoryMs) dropBefore(buys, stale)
}

/** Deletes the purchases that are at least `memoryMs` older than `atMs`. */
export function pruneBuys(buys: Buys, atMs: EpochMs, memoryMs: DurationMs): void {
  const first = firstAfter(buys, atMs - memoryMs)
  if (first > 0) dropBefore(buys, first)
}

/** Returns the buys in `(untilMs - precallMs, untilMs]`, oldest first. */
export function buysBefore(buys: Buys, untilMs: EpochMs, precallMs: DurationMs): Buy[] {
  const [from, to] = [firstAfter(buys, untilMs - precallMs), firstAfter(buys, untilMs)]
  return Array.from({ length: to - from }, (_, index) => buyAt(buys, from + index))
}

const atMsOf = ({ places }: Buys, index: number): EpochMs => places[index * 2] as number

function buyAt({ places, ethWei, names }: Buys, index: number): Buy {
  const nameAt = index * nameBytes
  const traderAt = nameAt + hashBytes + 1
  return {
    block: places[index * 2 + 1] as number,
    ethWei: ethWei[index] as bigint,
    txHash: readHex(names, nameAt, hashBytes) as TxHash,
    trader: names[nameAt + hashBytes] === 1 ? (readHex(names, traderAt, addressBytes) as Address) : null,
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

function dropBefore(buys: Buys, index: number): void {
  buys.places = buys.places.slice(index * 2, buys.count * 2)
  buys.ethWei = buys.ethWei.slice(index)
  buys.names = buys.names.slice(index * nameBytes, buys.count * nameBytes)
  buys.count -= index
}

function setCapacity(buys: Buys, capacity: number): void {
  const { places, names } = buys
  buys.places = new Float64Array(capacity * 2)
  buys.places.set(places)
  buys.names = new Uint8Array(capacity * nameBytes)
  buys.names.set(names)
}

/** Writes the bytes of a hexadecimal text, which begins with 0x and is in lower case. */
function writeHex(bytes: Uint8Array, from: number, text: Hex): void {
  let at = from
  for (let index = 2; index < text.length; index += 2)
    bytes[at++] = (digitOf(text.charCodeAt(index)) << 4) | digitOf(text.charCodeAt(index + 1))
}

/**
 * Converts the character code of a hexadecimal digit to its value. The code of '9' is 57, and the code of 'a'
 * is 97.
 */
const digitOf = (code: number): number => (code <= 57 ? code - 48 : code - 87)

function readHex(bytes: Uint8Array, from: number, length: number): Hex {
  let text = '0x'
  for (let at = from; at < from + length; at++) text += ((bytes[at] as number) | 0x100).toString(16).slice(1)
  return text as Hex
}
