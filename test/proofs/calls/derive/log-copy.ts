/** A copy of a log for another thread, with the same blocks at the same offsets. */
import { partitionId } from '../../../../infra/log/append.ts'
import type { Log } from '../../../../infra/log/log.ts'
import { offsetAfter, type PackedBlock, RecordBatch } from '../../../../infra/log/record-batch.ts'
import type { TopicName } from '../../../../schemas/topics.ts'

type Block = Readonly<{ bytes: number; count: number; timestampMs: number }>
/** Blocks of one partition, in order. */
export type CopiedPart = Readonly<{
  topic: TopicName
  partition: number
  blocks: readonly Block[]
  bytes: Uint8Array<ArrayBuffer>
}>

type Topic = Readonly<{ name: TopicName; partitionCount: number }>
const bytesPerRead = 1 << 26

/** Each call returns the blocks since the last call. The bytes are copies, so they can be transferred. */
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

export type LogCopy = Readonly<{
  /**
   * A log of copied blocks. Readers can read to its end. Nothing can be appended through it, and its reads
   * never wait.
   */
  log: Log
  add(parts: readonly CopiedPart[]): void
}>

export function createLogCopy(): LogCopy {
  const blocksOf = new Map<string, PackedBlock[]>()
  const at = (topic: TopicName, partition: number): PackedBlock[] => {
    const id = partitionId(topic, partition)
    const found = blocksOf.get(id) ?? []
    blocksOf.set(id, found)
    return found
  }
  const endOf = (blocks: readonly PackedBlock[]) => {
    const last = blocks.at(-1)
    return last === undefined ? 0 : offsetAfter(last)
  }
  const refused = () => Promise.reject(new TypeError('the copy of a log is read only'))
  return {
    log: {
      async read({ topic, partition, offset }, { bytesMax = bytesPerRead } = {}) {
        const blocks = at(topic, partition)
        const batches: RecordBatch[] = []
        let left = bytesMax
        for (let index = firstEndingAfter(blocks, offset); index < blocks.length && left > 0; index++) {
          const block = blocks[index] as PackedBlock
          batches.push(new RecordBatch(block, Math.max(offset, block.firstOffset)))
          left -= block.bytes.length
        }
        return batches
      },
      bounds: async (topic, partition) => ({ startOffset: 0, endOffset: endOf(at(topic, partition)) }),
      ...{ openWriter: refused, waitForAppend: refused, maintain: refused },
      close: async () => {},
    },
    add(parts) {
      for (const { topic, partition, blocks, bytes } of parts) {
        const known = at(topic, partition)
        let from = 0
        for (const { bytes: length, count, timestampMs } of blocks) {
          const its = Buffer.from(bytes.buffer, from, length)
          known.push({ bytes: its, count, timestampMs, firstOffset: endOf(known) })
          from += length
        }
      }
    },
  }
}

function firstEndingAfter(blocks: readonly PackedBlock[], offset: number): number {
  let low = 0
  for (let high = blocks.length; low < high; ) {
    const middle = (low + high) >>> 1
    if (offsetAfter(blocks[middle] as PackedBlock) <= offset) low = middle + 1
    else high = middle
  }
  return low
}
