/** Reads the records of a partition. Decodes only records of the wanted types. */
import type { TopicName } from '../../schemas/topics.ts'
import type { SchemaCodec } from '../codec/schema-codec.ts'
import type { LogReader } from './log.ts'
import { recordsFrom } from './read-back.ts'
import type { RecordBatch } from './record-batch.ts'

type TopicCodec = SchemaCodec<{ type: string; data: object }>

export type TypedPartition = Readonly<{ log: LogReader; topic: TopicName; partition: number; codec: TopicCodec }>

type StoredRecord = Readonly<{ key: string; value: Buffer | null }>

type Visit = (record: StoredRecord) => 'stop' | undefined

/**
 * Calls `visit` for every committed record from the offset on, until `visit` returns `stop`. Returns the offset at
 * which to continue. Fetches the schemas of older writers before it visits their first record.
 */
export async function scan(source: TypedPartition, fromOffset: number, visit: Visit): Promise<number> {
  const { log, topic, partition } = source
  const loadedIds = new Set<number>()
  let offset = fromOffset
  for await (const batch of recordsFrom(log, { topic, partition, offset })) {
    await loadSchemas(source, batch, loadedIds)
    for (let index = 0; index < batch.count; index++)
      if (visit({ key: batch.keyAt(index), value: batch.valueAt(index) }) === 'stop') return batch.offsetAt(index) + 1
    offset = batch.nextOffset
  }
  return offset
}

/**
 * Fetches the unknown schemas of a batch. Awaits only for a new schema, because an await for each record
 * would be slow.
 */
export async function loadSchemas(
  { codec }: Pick<TypedPartition, 'codec'>,
  batch: RecordBatch,
  loadedIds: Set<number>,
): Promise<void> {
  for (let index = 0; index < batch.count; index++) {
    const value = batch.valueAt(index)
    if (!value || value.length < schemaHeaderBytes) continue
    const id = value.readUInt32BE(1)
    if (loadedIds.has(id)) continue
    await codec.load(value)
    loadedIds.add(id)
  }
}

/** The size of a schema header in bytes: 0x00 and the schema id. Decoding refuses a shorter value. */
const schemaHeaderBytes = 5

/** Returns the data of a record of this type. Returns null for other types, and does not decode them. */
export function dataOf<Data>({ codec }: TypedPartition, type: string, value: Buffer | null): Data | null {
  return value !== null && codec.typeOf(value) === type ? (codec.decode(value).data as Data) : null
}
