/**
 * The record of the benchmark job, in Confluent's wire format. A tick is a record with the same schema.
 * Records are written and read in place, without a library.
 */
import { afterBytes, afterLong, longAt } from '../../../infra/codec/avro/read-avro.ts'
import type { ViewedBytes } from '../../../infra/codec/avro/viewed-bytes.ts'

export const peerSwapSchema = {
  type: 'record',
  name: 'Swap',
  fields: [
    { name: 'pool', type: 'string' },
    { name: 'token', type: 'string' },
    { name: 'sender', type: 'string' },
    { name: 'buy', type: 'boolean' },
    { name: 'ethWei', type: 'long' },
    { name: 'tokenRaw', type: 'double' },
    { name: 'block', type: 'long' },
    { name: 'eventAtMs', type: 'long' },
    { name: 'poolCreatedAtMs', type: 'long' },
  ],
} as const

export type PeerSwap = Readonly<{
  /** The text `tick` marks a tick. A tick uses only this field and `eventAtMs`. */
  pool: string
  token: string
  sender: string
  buy: boolean
  ethWei: bigint
  tokenRaw: number
  block: number
  eventAtMs: number
  poolCreatedAtMs: number
}>

const headerBytes = 5
const schemaId = 1
/** The length of the text `tick`, which is 4, as a zigzag varint. No pool name is that short. */
const tickLength = 8

/**
 * An amount of wei is held as two numbers, `high * weiUnit + low`. Even sums of millions of amounts are exact
 * in this form.
 */
export const weiUnit = 2 ** 27
const weiUnitBig = BigInt(weiUnit)

export const weiOf = (high: number, low: number): bigint => BigInt(high) * weiUnitBig + BigInt(low)

export const isTickAt = ({ bytes }: ViewedBytes, start: number): boolean => bytes[start + headerBytes] === tickLength

/** Returns the time of the tick that begins at `start`. */
export const tickAtMs = ({ bytes }: ViewedBytes, start: number): number => {
  const ethWeiStart = afterTexts(bytes, start) + 1
  return longAt(bytes, afterLong(bytes, afterLong(bytes, ethWeiStart) + doubleBytes))
}

const doubleBytes = 8

const afterTexts = (bytes: Buffer, start: number): number =>
  afterBytes(bytes, afterBytes(bytes, afterBytes(bytes, start + headerBytes)))

/** The fields of a swap for the job, each decoded on access. The event time is used as the block time. */
export class PeerSwapView {
  readonly blockAtMs: number
  private readonly source: ViewedBytes
  private readonly buyStart: number
  private readonly tokenRawStart: number
  private readonly eventAtStart: number

  constructor(source: ViewedBytes, start: number) {
    const { bytes } = source
    this.source = source
    this.buyStart = afterTexts(bytes, start)
    this.tokenRawStart = afterLong(bytes, this.buyStart + 1)
    this.eventAtStart = afterLong(bytes, this.tokenRawStart + doubleBytes)
    this.blockAtMs = longAt(bytes, this.eventAtStart)
  }

  get buy(): boolean {
    return this.source.bytes[this.buyStart] === 1
  }

  get weiHigh(): number {
    return highWei(this.source.bytes, this.buyStart + 1)
  }

  get weiLow(): number {
    return lowWei(this.source.bytes, this.buyStart + 1)
  }

  get tokenRaw(): number {
    return this.source.view.getFloat64(this.tokenRawStart, true)
  }

  get poolCreatedAtMs(): number {
    return longAt(this.source.bytes, afterLong(this.source.bytes, this.eventAtStart))
  }
}

/**
 * Returns the lowest 27 bits of the number without its sign. These bits are in the first four bytes of the
 * zigzag varint.
 */
function lowWei(bytes: Buffer, start: number): number {
  let raw = 0
  for (let at = start, shift = 0; shift < 28; at++, shift += 7) {
    const byte = bytes[at] ?? 0
    raw |= (byte & 127) << shift
    if (byte < 128) break
  }
  return raw >>> 1
}

/** The bits above the lowest 27. */
function highWei(bytes: Buffer, start: number): number {
  let at = start
  for (let group = 0; group < 4; group++) if ((bytes[at++] ?? 0) < 128) return 0
  for (let value = 0, scale = 1; ; at++, scale *= 128) {
    const byte = bytes[at] ?? 0
    value += (byte & 127) * scale
    if (byte < 128) return value
  }
}

/** Encodes a tick or a swap. */
export function encodePeerSwap(swap: PeerSwap): Buffer {
  const bytes = Buffer.allocUnsafe(headerBytes + 64 + swap.pool.length + swap.token.length + swap.sender.length)
  bytes[0] = 0
  let at = bytes.writeUInt32BE(schemaId, 1)
  for (const text of [swap.pool, swap.token, swap.sender]) {
    at = writeLong(bytes, at, BigInt(text.length))
    at += bytes.write(text, at, 'latin1')
  }
  bytes[at++] = swap.buy ? 1 : 0
  at = writeLong(bytes, at, swap.ethWei)
  at = bytes.writeDoubleLE(swap.tokenRaw, at)
  for (const value of [swap.block, swap.eventAtMs, swap.poolCreatedAtMs]) at = writeLong(bytes, at, BigInt(value))
  return bytes.subarray(0, at)
}

function writeLong(bytes: Buffer, start: number, value: bigint): number {
  let rest = BigInt.asUintN(64, (value << 1n) ^ (value >> 63n))
  let at = start
  for (; rest > 127n; rest >>= 7n) bytes[at++] = Number(rest & 127n) | 128
  bytes[at++] = Number(rest)
  return at
}
