/** What stands in a log, added in the same order to another one: two threads read the same records. */
import type { Log } from '../../../infra/log/log.ts'
import { RecordBatch } from '../../../infra/log/record-batch.ts'
import type { TopicName } from '../../../schemas/topics.ts'
import type { World } from './project.ts'

type Block = Readonly<{ bytes: number; count: number; timestampMs: number }>
/** Blocks of one partition, one behind the other. */
export type CopiedPart = Readonly<{
  topic: TopicName
  partition: number
  blocks: readonly Block[]
  bytes: Uint8Array<ArrayBuffer>
}>

type Topic = Readonly<{ name: TopicName; partitionCount: number }>
const bytesPerRead = 1 << 26

/** Gives at each call what came since the last one. The bytes are copies of their own, so they can be transferred. */
export function createLogReader(log: Log, topics: readonly Topic[]): () => Promise<readonly CopiedPart[]> {
  const places = topics.flatMap(({ name: topic, partitionCount }) =>
    Array.from({ length: partitionCount }, (_, partition) => ({ topic, partition, offset: 0 })),
  )
  return async () => {
    const parts: CopiedPart[] = []
    for (const place of places) {
      const batches: RecordBatch[] = []
      for (;;) {
        const read = await log.read(place, { bytesMax: bytesPerRead })
        batches.push(...read)
        const last = read.at(-1)
        if (last === undefined) break
        place.offset = last.nextOffset
      }
      if (batches.length > 0) parts.push({ topic: place.topic, partition: place.partition, ...joined(batches) })
    }
    return parts
  }
}

function joined(batches: readonly RecordBatch[]): Pick<CopiedPart, 'blocks' | 'bytes'> {
  const bytes = new Uint8Array(batches.reduce((sum, batch) => sum + batch.bytes.length, 0))
  let at = 0
  const blocks = batches.map((batch) => {
    bytes.set(batch.bytes, at)
    at += batch.bytes.length
    return { bytes: batch.bytes.length, count: batch.count, timestampMs: batch.timestampMsAt(0) }
  })
  return { blocks, bytes }
}

/** Adds parts to the log of a world, with the times that they had. */
export async function openLogCopy({ log, clock }: World): Promise<(parts: readonly CopiedPart[]) => Promise<void>> {
  const writer = await log.openWriter('copy')
  return async (parts) => {
    for (const { topic, partition, blocks, bytes } of parts) {
      let at = 0
      for (const { bytes: length, count, timestampMs } of blocks) {
        const batch = new RecordBatch({
          ...{ bytes: Buffer.from(bytes.buffer, bytes.byteOffset + at, length), count, timestampMs },
          firstOffset: 0,
        })
        at += length
        clock.atMs = timestampMs
        await writer.append(
          Array.from({ length: count }, (_, index) => ({
            ...{ topic, partition, key: batch.keyAt(index), value: batch.valueAt(index) },
          })),
        )
      }
    }
  }
}
