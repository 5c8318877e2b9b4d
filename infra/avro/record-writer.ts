/** Writes the Avro body of records with single values into a buffer at hand, without a buffer for each hex text and integer. */
import assert from 'node:assert/strict'
import type { AvroRecord } from '../../schemas/avro.ts'
import type { ViewedBytes } from './viewed-bytes.ts'

/**
 * Writes at a place and returns where it ends: past the end of the buffer when there was no room, and then what was
 * written is of no use. Throws for a value that is not of its schema.
 */
type Writer<Value = unknown> = (target: ViewedBytes, at: number, value: Value) => number

/** Made from the schema; writes the bytes that avsc would. Null where a field is a list or a record of its own. */
export function recordWriterOf({ fields }: AvroRecord): Writer<object> | null {
  const writers = fields.flatMap(({ name, type }) => {
    const write = writerOf(type)
    return write === null ? [] : [{ name, write }]
  })
  if (writers.length < fields.length) return null
  return (target, start, record) => {
    const values = record as Readonly<Record<string, unknown>>
    let at = start
    for (const { name, write } of writers) at = write(target, at, values[name])
    return at
  }
}

function writerOf(type: unknown): Writer | null {
  if (typeof type === 'string') return primitives.get(type) ?? null
  if (Array.isArray(type)) return nullableWriterOf(writerOf(type[1]))
  const { logicalType, symbols } = type as Readonly<{ logicalType?: string; symbols?: readonly string[] }>
  if (symbols) return (target, at, value) => writeLong(target, at, knownIndex(symbols, value))
  return (logicalType !== undefined && primitives.get(logicalType)) || null
}

const nullableWriterOf = (write: Writer | null): Writer | null =>
  write &&
  ((target, at, value) => (value === null ? writeLong(target, at, 0) : write(target, writeLong(target, at, 1), value)))

function knownIndex(symbols: readonly string[], value: unknown): number {
  const index = symbols.indexOf(value as string)
  if (index < 0) assert.fail(`${value} is none of ${symbols}`)
  return index
}

/** A zigzag varint. */
const writeLong: Writer = ({ bytes }, start, value) => {
  if (!Number.isSafeInteger(value)) assert.fail(`${value} is not a whole number`)
  const isNegative = (value as number) < 0
  const size = isNegative ? -(value as number) - 1 : (value as number)
  let at = start
  let low = (size % 64) * 2 + (isNegative ? 1 : 0)
  for (let rest = Math.floor(size / 64); rest > 0; rest = Math.floor(rest / 128)) {
    bytes[at++] = low | 0x80
    low = rest % 128
  }
  bytes[at++] = low
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

/** Little-endian, as Avro has doubles. */
const writeDouble: Writer = ({ bytes, view }, at, value) => {
  if (typeof value !== 'number') assert.fail(`${value} is not a number`)
  if (at + 8 <= bytes.length) view.setFloat64(at, value, true)
  return at + 8
}

const writeHex: Writer = (target, at, value) => {
  if (typeof value !== 'string' || !value.startsWith('0x')) assert.fail(`${value} is not hex`)
  const length = (value.length - 2) >>> 1
  const start = writeLong(target, at, length)
  if (start + length > target.bytes.length) return start + length
  if (target.bytes.write(value.slice(2), start, 'hex') !== length) assert.fail(`${value} is not hex`)
  return start + length
}

/** UTF-8. What is no whole character (half of a surrogate pair) is written as U+FFFD. */
const writeText: Writer = (target, at, value) => {
  if (typeof value !== 'string') assert.fail(`${value} is not a text`)
  const length = Buffer.byteLength(value)
  const start = writeLong(target, at, length)
  if (start + length <= target.bytes.length) target.bytes.write(value, start)
  return start + length
}

/** Two's complement, big-endian, in as few whole words of eight bytes as hold it. */
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
