/** Reading a partition by the records' names, decoding only what is looked for. */
import type { TopicName } from '../../schemas/topics.ts'
import type { SchemaCodec } from '../codec/schema-codec.ts'
import type { Log } from './log.ts'
import { recordsFrom } from './read-back.ts'
import type { RecordBatch } from './record-batch.ts'

type TopicCodec = SchemaCodec<{ type: string; data: object }>

export type PartitionReader = Readonly<{ log: Log; topic: TopicName; partition: number; codec: TopicCodec }>

type StoredRecord = Readonly<{ key: string; value: Buffer | null }>

type Visit = (record: StoredRecord) => 'stop' | undefined

/**
 * Calls `visit` for every committed record from the offset on, until it answers `stop`. Returns where to go on.
 * Schemas that an older version wrote are fetched before their first record is visited.
 */
export async function scan(reader: PartitionReader, fromOffset: number, visit: Visit): Promise<number> {
  const { log, topic, partition } = reader
  const loadedIds = new Set<number>()
  let offset = fromOffset
  for await (const batch of recordsFrom(log, { topic, partition, offset })) {
    await loadSchemas(reader, batch, loadedIds)
    for (let index = 0; index < batch.count; index++)
      if (visit({ key: batch.keyAt(index), value: batch.valueAt(index) }) === 'stop') return batch.offsetAt(index) + 1
    offset = batch.nextOffset
  }
  return offset
}

/** Ahead of the records, so that no record of millions is waited for alone. */
async function loadSchemas({ codec }: PartitionReader, batch: RecordBatch, loadedIds: Set<number>): Promise<void> {
  for (let index = 0; index < batch.count; index++) {
    const value = batch.valueAt(index)
    if (!value || value.length < schemaHeaderBytes) continue
    const id = value.readUInt32BE(1)
    if (loadedIds.has(id)) continue
    await codec.load(value)
    loadedIds.add(id)
  }
}

/** 0x00 and the schema id; a shorter value is refused when it is decoded. */
const schemaHeaderBytes = 5

/** The data of a record of this type. Null: it has no value or is of another type, which costs no decoding. */
export function dataOf<Data>({ codec }: PartitionReader, type: string, value: Buffer | null): Data | null {
  return value !== null && codec.typeOf(value) === type ? (codec.decode(value).data as Data) : null
}
