/**
 * Stores the open copies of one token as rows of two typed arrays, oldest first. One object with strings per
 * copy would take four times the memory, and thousands of copies are open at the same time.
 *
 *   numbers   | atMs, slot, ... | atMs, slot, ... | atMs, slot, ... |             |
 *   names     | wallet, txHash  | wallet, txHash  | wallet, txHash  |             |
 *               closed            oldest open       newest            unused
 */
import assert from 'node:assert/strict'
import type { Address, TxHash } from '../../../schemas/units.ts'
import { isHexAt, readHex, writeHex } from '../../hex-bytes.ts'

/** The numbers of a copy. NaN stands for a value that does not exist (yet). */
const columns = [
  // The purchase that the copy repeats: its place in the chain, and the price after it.
  ...(['atMs', 'slot', 'logIndex', 'px'] as const),
  // The price that the wallet paid, including all fees, in lamports per raw token.
  'lamportsPerToken',
  // The fee rates of the purchase, in basis points.
  ...(['providerRate', 'protocolRate', 'creatorRate', 'rewardsRate'] as const),
  // 1 for yes and 0 for no.
  ...(['isBig', 'isPoolBuy'] as const),
  // 1: the price reached `hitPx` before `missPx`. 0: it reached `missPx` first. NaN: it reached neither yet.
  'isHit',
  // The raw tokens that the wallet holds of its open purchases. Equal in all open rows of the wallet.
  'heldRaw',
  // The first sale of the wallet after the purchase.
  ...(['saleAfterSec', 'saleShare', 'saleGain'] as const),
  // The simulated purchase of the copy, and the price of the market before it.
  ...(['fillLamports', 'fillTokenRaw', 'entryPx'] as const),
  // The highest price while the trailing stop is active, up to the last check of the copy. 0 before that, so
  // that no price can trigger the trailing stop.
  'highPx',
  // The simulated sale of the copy: its return, its reason as an index of `copyExits`, and its time.
  ...(['ret', 'exit', 'exitSec'] as const),
] as const

type CopyNumbers = Record<(typeof columns)[number], number>

/** One copy. It reads and writes its row in place, and is valid until rows are added or removed. */
export type Copy = CopyNumbers & Names

type Names = Readonly<{ wallet: Address; txHash: TxHash }>

export type CopyRows = {
  /** The number of rows in use, with those of closed copies. */
  count: number
  /** The number of closed copies whose rows are still in the arrays. They are the first ones. */
  closed: number
  numbers: Float64Array
  names: Uint8Array
}

/** A row of names: the address of the wallet, the length of the signature in bytes, and its at most 64 bytes. */
const walletBytes = 32
const hashBytes = 64
const nameBytes = walletBytes + 1 + hashBytes

/**
 * The memory of closed copies is freed as soon as they are at least this number and at least half of all rows. This
 * costs little per copy.
 */
const closedCountMax = 16

const noNumbers = new Float64Array(0)
const noNames = new Uint8Array(0)

export const noCopies = (): CopyRows => ({ count: 0, closed: 0, numbers: noNumbers, names: noNames })

export const openCount = ({ count, closed }: CopyRows): number => count - closed

class Row {
  // Only TypeScript protects these fields. `#` fields are slow to set up, and a row is created for every access.
  private readonly rows: CopyRows
  private readonly at: number

  constructor(rows: CopyRows, at: number) {
    this.rows = rows
    this.at = at
  }

  get wallet(): Address {
    return readHex(this.rows.names, this.at * nameBytes, walletBytes)
  }

  get txHash(): TxHash {
    const { names } = this.rows
    const lengthAt = this.at * nameBytes + walletBytes
    return readHex(names, lengthAt + 1, names[lengthAt] as number)
  }

  read(column: number): number {
    return this.rows.numbers[this.at * columns.length + column] as number
  }

  write(column: number, value: number): void {
    this.rows.numbers[this.at * columns.length + column] = value
  }
}

for (const [column, name] of columns.entries())
  Object.defineProperty(Row.prototype, name, {
    get(this: Row) {
      return this.read(column)
    },
    set(this: Row, value: number) {
      this.write(column, value)
    },
  })

/** Returns the open copy with this index. The oldest has the index 0. Undefined: there are not so many. */
export const copyAt = (rows: CopyRows, index: number): Copy | undefined =>
  rows.closed + index < rows.count ? (new Row(rows, rows.closed + index) as unknown as Copy) : undefined

/** Returns the open copies, oldest first. Rows must not be removed meanwhile. */
export function* openCopies(rows: CopyRows): Iterable<Copy> {
  for (let index = 0; index < openCount(rows); index++) yield copyAt(rows, index) as Copy
}

/** Adds a row and returns it. All its numbers are NaN. */
export function addRow(rows: CopyRows, names: Names): Copy {
  if (rows.count * nameBytes === rows.names.length) makeRoom(rows)
  const at = rows.count
  rows.numbers.fill(Number.NaN, at * columns.length, (at + 1) * columns.length)
  writeNames(rows.names, at * nameBytes, names)
  rows.count++
  return copyAt(rows, at - rows.closed) as Copy
}

/** Removes the oldest open copy. */
export function removeOldest(rows: CopyRows): void {
  rows.closed++
  if (rows.closed >= closedCountMax && rows.closed >= rows.count >> 1) dropClosed(rows)
}

/** Frees the memory of closed copies and of unused rows. */
export function dropClosed(rows: CopyRows): void {
  const { closed, count, numbers, names } = rows
  if (closed === 0 && count * nameBytes === names.length) return
  rows.numbers = numbers.slice(closed * columns.length, count * columns.length)
  rows.names = names.slice(closed * nameBytes, count * nameBytes)
  rows.count -= closed
  rows.closed = 0
}

/** Returns the open copies of purchases by the wallet, oldest first. Most wallets that sell have none. */
export function copiesBy(rows: CopyRows, wallet: Address): Copy[] {
  const found: Copy[] = []
  for (let at = rows.closed; at < rows.count; at++)
    if (isHexAt(rows.names, at * nameBytes, wallet)) found.push(copyAt(rows, at - rows.closed) as Copy)
  return found
}

/**
 * Makes room for a row in full arrays. If at least a quarter of the copies is closed, the others move to their place.
 * Otherwise the arrays grow. New arrays for each few rows would keep the garbage collector busy.
 */
function makeRoom(rows: CopyRows): void {
  const { closed, count, numbers, names } = rows
  if (closed === 0 || closed < count >> 2) {
    const capacity = count + (count >> 2) + 4
    rows.numbers = new Float64Array(capacity * columns.length)
    rows.numbers.set(numbers)
    rows.names = new Uint8Array(capacity * nameBytes)
    rows.names.set(names)
    return
  }
  numbers.copyWithin(0, closed * columns.length)
  names.copyWithin(0, closed * nameBytes)
  rows.count -= closed
  rows.closed = 0
}

function writeNames(names: Uint8Array, from: number, { wallet, txHash }: Names): void {
  const [walletLength, hashLength] = [bytesIn(wallet), bytesIn(txHash)]
  assert(walletLength === walletBytes, `the address of a wallet has ${walletLength} bytes`)
  assert(hashLength <= hashBytes, `a signature has ${hashLength} bytes`)
  writeHex(names, from, wallet)
  names[from + walletBytes] = hashLength
  writeHex(names, from + walletBytes + 1, txHash)
}

const bytesIn = (text: string): number => text.length / 2 - 1
