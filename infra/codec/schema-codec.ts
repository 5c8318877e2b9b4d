/**
 * Records to bytes and back, in Confluent's wire format: 0x00, the schema id (u32, big-endian), the Avro body.
 * A record written under an older version of its schema is read through a resolver.
 */
import avsc from 'avsc'
import type { AvroRecord } from '../../schemas/avro.ts'
import type { Topic, TopicName } from '../../schemas/topics.ts'
import { OperationError } from '../errors.ts'
import { recordWriterOf } from './avro/record-writer.ts'
import type { ViewedBytes } from './avro/viewed-bytes.ts'
import { headerBytes, WriteSlab } from './avro/write-slab.ts'

/**
 * Keeps every released schema and gives it an id: the same schema has the same one under every subject. Refuses a schema
 * that cannot read an earlier one of its subject with `schema_incompatible`.
 */
export type SchemaRegistry = Readonly<{
  register(subject: string, schema: AvroRecord): Promise<number>
  /** Null: no schema has that id. */
  fetch(id: number): Promise<AvroRecord | null>
}>

export type SchemaCodec<Record extends DecodedRecord = DecodedRecord> = Readonly<{
  encode(type: Record['type'], data: Record['data']): Buffer
  /** Throws `schema_unknown` for an id that `load` has not seen, `record_corrupt` for bytes that are no such record. */
  decode(bytes: Buffer): Record
  /**
   * The same of the value between two places of a buffer. What comes back may read its fields when they are asked for, so
   * it is to be looked at, not kept: it would hold the whole buffer.
   */
  decodeAt(source: ViewedBytes, start: number, end: number): Record
  /** The record name alone, without decoding the body. */
  typeOf(bytes: Buffer): Record['type']
  /** Fetches the schema of these bytes from the registry, so that `decode` can read them. */
  load(bytes: Buffer): Promise<void>
}>

export type DecodedRecord = Readonly<{ type: string; data: object }>

type Reader = Readonly<{ type: string; read: (body: Buffer) => object; View?: View | undefined }>
type View = new (source: ViewedBytes, start: number, end: number) => object

/** By record name: what `decodeAt` hands out for records too many to be made field by field. */
export type RecordViews = Readonly<Record<string, View>>

/** As Confluent's TopicRecordNameStrategy names it, which lets a topic hold several kinds of record. */
export const subjectOf = (topic: TopicName, { namespace, name }: AvroRecord): string => `${topic}-${namespace}.${name}`

/** Registers every schema of a topic and returns the topic's codec. */
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
    readers.set(id, { type: name, read: (body) => type.fromBuffer(body), View: views[name] })
  }

  const readerOf = (id: number): Reader => {
    const reader = readers.get(id)
    if (!reader)
      throw new OperationError('schema_unknown', `schema ${id} is not one of topic ${topic}`, { context: { id } })
    return reader
  }

  return {
    encode(type, data) {
      const writer = writers.get(type)
      if (!writer) throw new OperationError('schema_unknown', `topic ${topic} holds no ${type}`)
      const { id, type: its, write } = writer
      return (write && slab.write(id, write, data)) ?? frame(id, its.toBuffer(data))
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
      if (!current) throw new OperationError('schema_unknown', `topic ${topic} holds no ${written.name}`)
      const resolver = current.type.createResolver(avroType(written))
      readers.set(id, {
        type: written.name,
        read: (body) => current.type.fromBuffer(body, resolver),
      })
    },
  }
}

/** The avsc type of a schema, with addresses as `0x…` strings and integers as bigint. */
export function avroType(schema: AvroRecord): avsc.Type {
  return avsc.Type.forSchema(structuredClone(schema) as avsc.Schema, {
    logicalTypes: { hex: HexType, decimal: IntegerType },
  })
}

/** True when a reader of the schema can read what was written under the older one. */
function canRead(reader: AvroRecord, written: AvroRecord): boolean {
  try {
    avroType(reader).createResolver(avroType(written))
    return true
  } catch {
    return false
  }
}

/** Null when it can be read, else the first field that stands in the way and why. */
export function whyUnreadable(reader: AvroRecord, written: AvroRecord): string | null {
  if (canRead(reader, written)) return null
  if (reader.name !== written.name) return `${reader.name} is not ${written.name}`
  for (const field of reader.fields) {
    const old = written.fields.find(({ name }) => name === field.name)
    if (!old && field.default === undefined) return `the field ${field.name} is new and has no default`
    if (old && !canRead({ ...reader, fields: [field] }, { ...written, fields: [old] }))
      return `the field ${field.name} changed its type in a way that loses what was written`
  }
  return 'its fields do not match'
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
  new OperationError('record_corrupt', 'a value that does not begin with the schema header', { context: { length } })

function readBody(reader: Reader, bytes: Buffer): object {
  try {
    return reader.read(bytes.subarray(headerBytes))
  } catch (cause) {
    throw new OperationError('record_corrupt', `bytes that are no ${reader.type}`, {
      cause,
      context: { length: bytes.length },
    })
  }
}

class HexType extends avsc.types.LogicalType {
  override _fromValue(bytes: Buffer): string {
    return `0x${bytes.toString('hex')}`
  }
  /** Undefined, which avsc refuses, for what is no hex: Node would give the bytes before the first wrong digit. */
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

/** Two's complement, big-endian; eight bytes where they hold the value (most do), else whole steps of eight. */
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
