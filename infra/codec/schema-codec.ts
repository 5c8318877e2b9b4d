/**
 * Encodes and decodes records in Confluent's wire format: 0x00, the schema id (u32, big-endian), the Avro
 * body. A record of an older schema version is decoded with an Avro resolver.
 */
import avsc from 'avsc'
import type { AvroRecord } from '../../schemas/avro.ts'
import type { Topic, TopicName } from '../../schemas/topics.ts'
import { OperationError } from '../errors.ts'
import { checkView, type View } from './avro/check-view.ts'
import { recordWriterOf } from './avro/record-writer.ts'
import type { ViewedBytes } from './avro/viewed-bytes.ts'
import { headerBytes, WriteSlab } from './avro/write-slab.ts'

/**
 * Stores schemas and gives them ids. A schema has the same id under every subject. `register` fails with
 * `schema_incompatible` if the schema cannot read records of an earlier version of its subject.
 */
export type SchemaRegistry = Readonly<{
  register(subject: string, schema: AvroRecord): Promise<number>
  /** Null if no schema has this id. */
  fetch(id: number): Promise<AvroRecord | null>
}>

export type SchemaCodec<Record extends DecodedRecord = DecodedRecord> = Readonly<{
  encode(type: Record['type'], data: Record['data']): Buffer
  /**
   * Throws `schema_unknown` for a schema id that was not loaded, and `record_corrupt` for bytes that are not a record
   * of their schema.
   */
  decode(bytes: Buffer): Record
  /**
   * Decodes the value between two offsets of a buffer. The result may be a view, which decodes each field on
   * access and keeps the whole buffer in memory. So do not keep the result.
   */
  decodeAt(source: ViewedBytes, start: number, end: number): Record
  /** Returns the record's type without decoding the body. */
  typeOf(bytes: Buffer): Record['type']
  /**
   * Fetches the schema of these bytes from the registry if this codec does not know it, so that `decode` can read them.
   */
  load(bytes: Buffer): Promise<void>
}>

export type DecodedRecord = Readonly<{ type: string; data: object }>

type Reader = Readonly<{ type: string; read: (body: Buffer) => object; View?: View | undefined }>

/**
 * The view classes of frequent record types, by record type. For these types, `decodeAt` returns a view,
 * which reads its fields from the bytes on access.
 */
export type RecordViews = Readonly<Record<string, View>>

/** The subject of a schema, by Confluent's TopicRecordNameStrategy, which allows several record types in one topic. */
export const subjectOf = (topic: TopicName, { namespace, name }: AvroRecord): string => `${topic}-${namespace}.${name}`

/** Whether both schemas encode a record to the same bytes, even if their texts differ. */
export const isSameSchema = (one: AvroRecord, other: AvroRecord): boolean => fingerprintOf(one) === fingerprintOf(other)

const fingerprintOf = (schema: AvroRecord): string => avroType(schema).fingerprint().toString('hex')

/**
 * Registers every schema of a topic and returns the topic's codec. Asserts that each view reads its record type
 * correctly.
 */
export async function createSchemaCodec<Record extends DecodedRecord>(
  { name: topic, schemas }: Topic,
  registry: SchemaRegistry,
  views: RecordViews = {},
): Promise<SchemaCodec<Record>> {
  const writers = new Map<string, { id: number; type: avsc.Type; write: ReturnType<typeof recordWriterOf> }>()
  const readers = new Map<number, Reader>()
  const slab = new WriteSlab()
  for (const [name, schema] of Object.entries(schemas ?? {})) {
    const id = await registry.register(subjectOf(topic, schema), schema)
    const type = avroType(schema)
    writers.set(name, { id, type, write: recordWriterOf(schema) })
    const View = views[name]
    if (View) checkView(View, schema)
    readers.set(id, { type: name, read: (body) => type.fromBuffer(body), View })
  }

  const readerOf = (id: number): Reader => {
    const reader = readers.get(id)
    if (!reader)
      throw new OperationError('schema_unknown', `schema ${id} does not belong to topic ${topic}`, { context: { id } })
    return reader
  }

  const noSuchType = (type: string) => new OperationError('schema_unknown', `topic ${topic} has no record type ${type}`)

  return {
    encode(type, data) {
      const writer = writers.get(type)
      if (!writer) throw noSuchType(type)
      const { id, type: its, write } = writer
      return slab.write(id, write, data) ?? frame(id, its.toBuffer(data))
    },
    decode(bytes) {
      const reader = readerOf(schemaIdOf(bytes))
      return { type: reader.type, data: readBody(reader, bytes) } as Record
    },
    decodeAt(source, start, end) {
      const { view, bytes } = source
      if (end - start < headerBytes || view.getUint8(start) !== 0) throw notFramed(end - start)
      const reader = readerOf(view.getUint32(start + 1))
      const data = reader.View
        ? new reader.View(source, start + headerBytes, end)
        : readBody(reader, bytes.subarray(start, end))
      return { type: reader.type, data } as Record
    },
    typeOf: (bytes) => readerOf(schemaIdOf(bytes)).type,
    async load(bytes) {
      const id = schemaIdOf(bytes)
      const written = readers.has(id) ? null : await registry.fetch(id)
      if (!written) return
      const current = writers.get(written.name)
      if (!current) throw noSuchType(written.name)
      const resolver = current.type.createResolver(avroType(written))
      readers.set(id, {
        type: written.name,
        read: (body) => current.type.fromBuffer(body, resolver),
      })
    },
  }
}

/** The avsc types by schema. avsc generates code for each type, which takes longer than most uses of the type. */
const avroTypes = new WeakMap<AvroRecord, avsc.Type>()

/** The avsc type of a schema, with hex fields as `0x…` strings and integer fields as bigint. The schema must not change. */
export function avroType(schema: AvroRecord): avsc.Type {
  const known = avroTypes.get(schema)
  if (known) return known
  const type = avsc.Type.forSchema(structuredClone(schema) as avsc.Schema, {
    logicalTypes: { hex: HexType, decimal: IntegerType },
  })
  avroTypes.set(schema, type)
  return type
}

/** Whether records of the schema `written` can be read with the schema `reader`. */
function canRead(reader: AvroRecord, written: AvroRecord): boolean {
  try {
    avroType(reader).createResolver(avroType(written))
    return true
  } catch {
    return false
  }
}

/** The reason why records of `written` cannot be read with `reader`: the first incompatible field. Null if the records can be read. */
export function whyUnreadable(reader: AvroRecord, written: AvroRecord): string | null {
  if (canRead(reader, written)) return null
  if (reader.name !== written.name) return `the record type ${written.name} was renamed to ${reader.name}`
  for (const field of reader.fields) {
    const old = written.fields.find(({ name }) => name === field.name)
    if (!old && field.default === undefined) return `the field ${field.name} is new and has no default`
    if (old && !canRead({ ...reader, fields: [field] }, { ...written, fields: [old] }))
      return `the field ${field.name} changed to an incompatible type`
  }
  return 'the fields do not match'
}

function frame(id: number, body: Buffer): Buffer {
  const bytes = Buffer.allocUnsafe(headerBytes + body.length)
  bytes[0] = 0
  bytes.writeUInt32BE(id, 1)
  body.copy(bytes, headerBytes)
  return bytes
}

function schemaIdOf(bytes: Buffer): number {
  if (bytes.length < headerBytes || bytes[0] !== 0) throw notFramed(bytes.length)
  return bytes.readUInt32BE(1)
}

const notFramed = (length: number) =>
  new OperationError('record_corrupt', 'the value does not begin with a schema header', { context: { length } })

function readBody(reader: Reader, bytes: Buffer): object {
  try {
    return reader.read(bytes.subarray(headerBytes))
  } catch (cause) {
    throw new OperationError('record_corrupt', `the value is not a valid ${reader.type}`, {
      cause,
      context: { length: bytes.length },
    })
  }
}

class HexType extends avsc.types.LogicalType {
  override _fromValue(bytes: Buffer): string {
    return `0x${bytes.toString('hex')}`
  }
  /**
   * Returns undefined for invalid hex, and avsc then refuses the value. `Buffer.from` alone would stop at the
   * first wrong digit and report no error.
   */
  override _toValue(text: unknown): Buffer | undefined {
    if (typeof text !== 'string' || !text.startsWith('0x')) return undefined
    const bytes = Buffer.from(text.slice(2), 'hex')
    return 2 + 2 * bytes.length === text.length ? bytes : undefined
  }
  override _resolve(type: avsc.Type) {
    return type instanceof HexType ? (value: unknown) => value : undefined
  }
}

class IntegerType extends avsc.types.LogicalType {
  override _fromValue(bytes: Buffer): bigint {
    if (bytes.length === 8) return bytes.readBigInt64BE()
    const value = BigInt(`0x${bytes.toString('hex')}`)
    return BigInt.asIntN(bytes.length * 8, value)
  }
  override _toValue(value: unknown): Buffer | undefined {
    return typeof value === 'bigint' ? integerBytes(value) : undefined
  }
  override _resolve(type: avsc.Type) {
    return type instanceof IntegerType ? (value: unknown) => value : undefined
  }
}

/**
 * Encodes a bigint in two's complement, big-endian. The length is the smallest sufficient multiple of eight
 * bytes.
 */
function integerBytes(value: bigint): Buffer {
  let words = 1
  while (BigInt.asIntN(words * 64, value) !== value) words++
  const bytes = Buffer.allocUnsafe(words * 8)
  for (let word = words - 1; word >= 0; word--) {
    bytes.writeBigUInt64BE(BigInt.asUintN(64, value), word * 8)
    value >>= 64n
  }
  return bytes
}
