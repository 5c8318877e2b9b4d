/**
 * Reads single Avro values in place. The caller must check the bounds: past the end of the buffer the results are
 * meaningless.
 */
import type { Hex } from '../../../schemas/units.ts'
import { OperationError } from '../../errors.ts'
import type { ViewedBytes } from './viewed-bytes.ts'

/** An int or a long: a zigzag varint. Exact up to 2^53. */
export function longAt(bytes: Buffer, start: number): number {
  let byte = bytes[start] ?? 0
  const isNegative = (byte & 1) === 1
  let value = (byte & 0x7f) >>> 1
  for (let at = start + 1, scale = 64; byte >= 0x80; at++, scale *= 128) {
    byte = bytes[at] ?? 0
    value += (byte & 0x7f) * scale
  }
  return isNegative ? -value - 1 : value
}

/** Where the next field begins after an int or a long. */
export function afterLong(bytes: Buffer, start: number): number {
  let at = start
  while ((bytes[at] ?? 0) >= 0x80) at++
  return at + 1
}

/** Where the next field begins after bytes. NaN for a negative length: every comparison with it is false. */
export function afterBytes(bytes: Buffer, start: number): number {
  const first = bytes[start] ?? 0
  if (first < 0x80) return (first & 1) === 1 ? Number.NaN : start + 1 + (first >>> 1)
  const length = longAt(bytes, start)
  return length < 0 ? Number.NaN : afterLong(bytes, start) + length
}

/** The `hex` field that begins at `start`. */
export function hexAt(bytes: Buffer, start: number): Hex {
  return `0x${bytes.toString('hex', afterLong(bytes, start), afterBytes(bytes, start))}`
}

/** The `integer` field that begins at `start`: two's complement, big-endian, usually eight bytes. */
export function integerAt({ bytes, view }: ViewedBytes, start: number): bigint {
  const from = afterLong(bytes, start)
  const end = afterBytes(bytes, start)
  if (end === from) throw new OperationError('record_corrupt', 'an integer field has no bytes')
  if ((end - from) % 8 > 0) return BigInt.asIntN((end - from) * 8, BigInt(`0x${bytes.toString('hex', from, end)}`))
  let value = view.getBigInt64(from)
  for (let at = from + 8; at < end; at += 8) value = (value << 64n) | view.getBigUint64(at)
  return value
}
