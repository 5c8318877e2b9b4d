import type { SchemaCodec } from '../../infra/codec/schema-codec.ts'
import type { Log } from '../../infra/log/log.ts'
import { type Topic, topics } from '../../schemas/topics.ts'

export type ReadRecord<Record> = Readonly<{ partition: number; key: string; record: Record | null }>

/** Returns all records of a topic, by partition and in order. */
export async function readRecords<Record extends { type: string; data: object }>(
  log: Log,
  of: keyof typeof topics | Topic,
  codec: SchemaCodec<Record>,
): Promise<readonly ReadRecord<Record>[]> {
  const { name: topic, partitionCount } = typeof of === 'string' ? topics[of] : of
  const records: ReadRecord<Record>[] = []
  for (let partition = 0; partition < partitionCount; partition++) {
    for (let offset = 0; ; ) {
      const batches = await log.read({ topic, partition, offset })
      for (const batch of batches)
        for (let index = 0; index < batch.count; index++) {
          const value = batch.valueAt(index)
          records.push({ partition, key: batch.keyAt(index), record: value && codec.decode(value) })
        }
      const last = batches.at(-1)
      if (!last) break
      offset = last.nextOffset
    }
  }
  return records
}
