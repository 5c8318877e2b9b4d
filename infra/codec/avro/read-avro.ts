/**
 * Reads single Avro values in place. The caller must check the bounds. A value that is read past the end of
 * the buffer is meaningless.
 */
import type { Hex } from '../../../schemas/units.ts'
import { OperationError } from '../../errors.ts'
import type { ViewedBytes } from './viewed-bytes.ts'

/**
 * The first byte of a nullable value: 0 for null, 2 for a value. It is the index of the union branch as a
 * zigzag varint.
 */
const [nullBranch, valueBranch] = [0, 2]

/** Reads an int or a long, which is a zigzag varint. The result is exact up to 2^53. */
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

/** The offset of the next field after an int or a long. */
export function afterLong(bytes: Buffer, start: number): number {
  let at = start
  while ((bytes[at] ?? 0) >= 0x80) at++
  return at + 1
}

/**
 * The offset of the next field after bytes. NaN for a negative length. Every comparison with NaN is false, so the
 * caller's check of the bounds fails.
 */
export function afterBytes(bytes: Buffer, start: number): number {
  const first = bytes[start] ?? 0
  if (first < 0x80) return (first & 1) === 1 ? Number.NaN : start + 1 + (first >>> 1)
  const length = longAt(bytes, start)
  return length < 0 ? Number.NaN : afterLong(bytes, start) + length
}

/** Whether the nullable field that begins at `start` is null. */
const isNullAt = (bytes: Buffer, start: number): boolean => bytes[start] === nullBranch

/** The offset of the next field after nullable bytes. NaN if the field is neither null nor bytes. */
export function afterNullableBytes(bytes: Buffer, start: number): number {
  const branch = bytes[start]
  if (branch === nullBranch) return start + 1
  return branch === valueBranch ? afterBytes(bytes, start + 1) : Number.NaN
}

/** The offset of the next field after a nullable long. NaN if the field is neither null nor a long. */
export function afterNullableLong(bytes: Buffer, start: number): number {
  const branch = bytes[start]
  if (branch === nullBranch) return start + 1
  return branch === valueBranch ? afterLong(bytes, start + 1) : Number.NaN
}

/** The `nullable(long)` field that begins at `start`. */
export const nullableLongAt = (bytes: Buffer, start: number): number | null =>
  isNullAt(bytes, start) ? null : longAt(bytes, start + 1)

/** The `nullable(hex)` field that begins at `start`. */
export const nullableHexAt = (bytes: Buffer, start: number): Hex | null =>
  isNullAt(bytes, start) ? null : hexAt(bytes, start + 1)

/** The offset of the next field after a boolean. NaN if the field is not a boolean. */
export const afterBoolean = (bytes: Buffer, start: number): number => ((bytes[start] ?? 2) < 2 ? start + 1 : Number.NaN)

export const booleanAt = (bytes: Buffer, start: number): boolean => bytes[start] === 1

/** The `hex` field that begins at `start`. */
export function hexAt(bytes: Buffer, start: number): Hex {
  return `0x${bytes.toString('hex', afterLong(bytes, start), afterBytes(bytes, start))}`
}

/** The `integer` field that begins at `start`: big-endian in two's complement, usually eight bytes. */
export function integerAt({ bytes, view }: ViewedBytes, start: number): bigint {
  const from = afterLong(bytes, start)
  const end = afterBytes(bytes, start)
  if (end === from) throw new OperationError('record_corrupt', 'an integer field has no bytes')
  if ((end - from) % 8 > 0) return BigInt.asIntN((end - from) * 8, BigInt(`0x${bytes.toString('hex', from, end)}`))
  let value = view.getBigInt64(from)
  for (let at = from + 8; at < end; at += 8) value = (value << 64n) | view.getBigUint64(at)
  return value
}
