/** Encodes records as Avro into an existing buffer. It creates no buffers for hex and integer fields. */
import assert from 'node:assert/strict'
import type { AvroRecord, AvroSchema } from '../../../schemas/avro.ts'
import type { ViewedBytes } from './viewed-bytes.ts'

/**
 * Writes a value at an offset and returns the offset of its end. If the result is past the end of the buffer,
 * the value had no room. The written bytes are then unusable. Throws for a value that does not match its
 * schema.
 */
type Writer<Value = unknown> = (target: ViewedBytes, at: number, value: Value) => number

/** Returns a writer for the records of a schema. It writes the same bytes as avsc. */
export function recordWriterOf({ fields }: AvroRecord): Writer<object> {
  const writers = fields.map(({ name, type }) => ({ name, write: writerOf(type) }))
  return (target, start, record) => {
    const values = record as Readonly<Record<string, unknown>>
    let at = start
    for (const { name, write } of writers) at = write(target, at, values[name])
    return at
  }
}

function writerOf(type: AvroSchema): Writer {
  if (typeof type === 'string') return primitiveWriterOf(type)
  if ('symbols' in type) return (target, at, value) => writeLong(target, at, knownIndex(type.symbols, value))
  if ('items' in type) return arrayWriterOf(writerOf(type.items as AvroSchema))
  if ('fields' in type) return nestedWriterOf(recordWriterOf(type))
  return 'logicalType' in type ? primitiveWriterOf(type.logicalType) : nullableWriterOf(writerOf(type[1] as AvroSchema))
}

const primitiveWriterOf = (name: string): Writer =>
  primitives.get(name) ?? assert.fail(`the record writer does not support the field type ${name}`)

const nullableWriterOf =
  (write: Writer): Writer =>
  (target, at, value) =>
    value === null ? writeLong(target, at, 0) : write(target, writeLong(target, at, 1), value)

const nestedWriterOf =
  (write: Writer<object>): Writer =>
  (target, at, value) =>
    write(target, at, typeof value === 'object' && value !== null ? value : assert.fail(`${value} is not a record`))

/** Writes all items in one block, followed by the empty block that ends the array. */
const arrayWriterOf =
  (write: Writer): Writer =>
  (target, start, value) => {
    if (!Array.isArray(value)) assert.fail(`${value} is not a list`)
    let at = start
    if (value.length > 0) at = writeLong(target, at, value.length)
    for (const item of value) at = write(target, at, item)
    return writeLong(target, at, 0)
  }

function knownIndex(symbols: readonly string[], value: unknown): number {
  const index = symbols.indexOf(value as string)
  if (index < 0) assert.fail(`${value} is not one of ${symbols}`)
  return index
}

/**
 * The first four bytes of a zigzag varint contain the sign and the lowest 27 bits of the size. So 32-bit arithmetic is
 * enough to compute these bytes.
 */
const lowSizes = 2 ** 27

/** Writes an integer as a zigzag varint. */
const writeLong: Writer = ({ bytes }, start, value) => {
  if (!Number.isSafeInteger(value)) assert.fail(`${value} is not an integer that a double holds exactly`)
  const isNegative = (value as number) < 0
  const size = isNegative ? -(value as number) - 1 : (value as number)
  const high = Math.floor(size / lowSizes)
  const low = ((size - high * lowSizes) << 1) | (isNegative ? 1 : 0)
  if (high === 0) return writeVarint(bytes, start, low)
  for (let byte = 0; byte < 4; byte++) bytes[start + byte] = ((low >>> (7 * byte)) & 0x7f) | 0x80
  return writeVarint(bytes, start + 4, high)
}

function writeVarint(bytes: Buffer, start: number, value: number): number {
  let at = start
  let rest = value
  for (; rest >= 0x80; rest >>>= 7) bytes[at++] = (rest & 0x7f) | 0x80
  bytes[at++] = rest
  return at
}

const writeInt: Writer = (target, at, value) => {
  if ((value as number) !== ((value as number) | 0)) assert.fail(`${value} is not a whole number of 32 bits`)
  return writeLong(target, at, value)
}

const writeBoolean: Writer = (target, at, value) => {
  if (typeof value !== 'boolean') assert.fail(`${value} is neither true nor false`)
  target.bytes[at] = value ? 1 : 0
  return at + 1
}

/** Writes a double, little-endian as Avro requires. */
const writeDouble: Writer = ({ bytes, view }, at, value) => {
  if (typeof value !== 'number') assert.fail(`${value} is not a number`)
  if (at + 8 <= bytes.length) view.setFloat64(at, value, true)
  return at + 8
}

const writeHex: Writer = (target, at, value) => {
  if (typeof value !== 'string' || !value.startsWith('0x') || value.length % 2 > 0) assert.fail(`${value} is not hex`)
  const length = (value.length - 2) >>> 1
  const start = writeLong(target, at, length)
  if (start + length > target.bytes.length) return start + length
  let digits = 0
  for (let byte = 0; byte < length; byte++) {
    const high = digitOf(value.charCodeAt(2 * byte + 2))
    const low = digitOf(value.charCodeAt(2 * byte + 3))
    digits |= high | low
    target.bytes[start + byte] = (high << 4) | low
  }
  if (digits < 0) assert.fail(`${value} is not hex`)
  return start + length
}

/** The value of a hex digit. Negative if the code is not a hex digit. */
const digitOf = (code: number): number => digitOfCode[code] ?? -1

const digitOfCode = Int8Array.from({ length: 128 }, (_, code) =>
  '0123456789abcdef'.indexOf(String.fromCharCode(code).toLowerCase()),
)

/** Writes text as UTF-8. Half of a surrogate pair is written as U+FFFD. */
const writeText: Writer = (target, at, value) => {
  if (typeof value !== 'string') assert.fail(`${value} is not a string`)
  const length = Buffer.byteLength(value)
  const start = writeLong(target, at, length)
  if (start + length <= target.bytes.length) target.bytes.write(value, start)
  return start + length
}

/** Writes a bigint in two's complement, big-endian, in the smallest multiple of eight bytes. */
const writeInteger: Writer = (target, at, value) => {
  if (typeof value !== 'bigint') assert.fail(`${value} is not a bigint`)
  let words = 1
  while (BigInt.asIntN(words * 64, value) !== value) words++
  const start = writeLong(target, at, words * 8)
  const end = start + words * 8
  if (end > target.bytes.length) return end
  for (let rest = value, place = end - 8; place >= start; place -= 8, rest >>= 64n) target.view.setBigInt64(place, rest)
  return end
}

const primitives: ReadonlyMap<string, Writer> = new Map([
  ['int', writeInt],
  ['long', writeLong],
  ['double', writeDouble],
  ['boolean', writeBoolean],
  ['string', writeText],
  ['hex', writeHex],
  ['decimal', writeInteger],
])
