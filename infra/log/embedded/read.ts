/** Reads records of the embedded log. Ignores blocks that the index does not cover. */
import type { TopicName } from '../../../schemas/topics.ts'
import type { Environment } from '../../data-dir/lmdb.ts'
import { OperationError } from '../../errors.ts'
import { offsetOutOfRange, partitionId } from '../append.ts'
import type { LogOffset } from '../log.ts'
import { type PackedBlock, RecordBatch } from '../record-batch.ts'
import { type BlockRange, blocksIn } from './blocks.ts'
import { blocksMissing } from './damage.ts'
import { type EmbeddedStore, type IndexedStore, isKeptByDay } from './store.ts'

/** Reads as `Log.read` does. The whole read sees one state of the index. */
export function readCommitted(store: EmbeddedStore, from: LogOffset, bytesMax: number): RecordBatch[] {
  const { topic, partition, offset } = from
  store.main.resetReadTxn()
  const endOffset = store.index.endOf(topic, partition)
  if (offset > endOffset) throw offsetOutOfRange(topic, offset, endOffset)
  // Without this line, a reader at the end of the log would fetch and check the last block at each read.
  if (offset === endOffset) return []
  const batches: RecordBatch[] = []
  let bytes = 0
  for (const block of blocksFrom(store, { topic, partition, fromOffset: offset, endOffset })) {
    const batch = new RecordBatch(block, offset)
    if (batch.count === 0) continue
    if (bytes > 0 && bytes + block.bytes.length > bytesMax) break
    bytes += block.bytes.length
    batches.push(batch)
    // The next block is probably as large as this block. So the loop ends before it fetches a block that would be too
    // large.
    if (bytes + block.bytes.length > bytesMax) break
  }
  return batches
}

/** Returns the bounds as `Log.bounds` does. Both bounds come from one state of the index. */
export function readBounds(
  store: IndexedStore,
  topic: TopicName,
  partition: number,
): { startOffset: number; endOffset: number } {
  store.main.resetReadTxn()
  const endOffset = store.index.endOf(topic, partition)
  const range = { topic, partition, fromOffset: 0, endOffset }
  if (isKeptByDay(store, topic)) return { startOffset: segmentOf(store, range)?.firstOffset ?? endOffset, endOffset }
  const [first] = blocksIn(store.main, range, store.index.coverageOf(topic, partition))
  return { startOffset: first ? new RecordBatch(first).offsetAt(0) : endOffset, endOffset }
}

function* blocksFrom(store: EmbeddedStore, range: BlockRange): Generator<PackedBlock> {
  const { topic, partition, endOffset } = range
  if (!isKeptByDay(store, topic)) {
    yield* blocksIn(store.main, range, store.index.coverageOf(topic, partition))
    return
  }
  let { fromOffset } = range
  while (fromOffset < endOffset) {
    const segment = segmentOf(store, { ...range, fromOffset })
    if (!segment) return
    const segmentEnd = segment.nextOffset ?? endOffset
    const environment = store.days.find(topic, segment.day) ?? afterRetention(store, range, segment.day)
    const coverage = store.index.coverageOf(topic, partition, segment.firstOffset)
    if (environment) yield* blocksIn(environment, { topic, partition, fromOffset, endOffset: segmentEnd }, coverage)
    fromOffset = segmentEnd
  }
}

/**
 * The segment (the blocks of one day) that contains the first offset of the range. If retention has removed
 * this segment, the first remaining segment.
 */
function segmentOf({ main, index }: IndexedStore, { topic, partition, fromOffset, endOffset }: BlockRange) {
  const segment = index.segmentAt(topic, partition, fromOffset)
  const beginsAt = segment?.firstOffset ?? endOffset
  const { checkedFrom, gapEnd } = index.coverageOf(topic, partition)
  if (beginsAt > fromOffset && beginsAt > checkedFrom && gapEnd(0) !== beginsAt)
    throw blocksMissing({ environment: main, topic, partition, offset: fromOffset }, beginsAt)
  return segment
}

/**
 * Handles the missing folder of a day. Null if retention in another thread has just removed the day. Otherwise the log
 * is damaged, and this function throws.
 */
function afterRetention(store: EmbeddedStore, { topic, partition }: BlockRange, day: string): Environment | null {
  store.main.resetReadTxn()
  const first = store.index.firstSegment(topic, partition)
  if (!first || first.day > day) return null
  throw new OperationError(
    'log_failed',
    `the folder with the records of ${partitionId(topic, partition)} of ${day} is missing. Restore a backup of DATA_DIR, or start with an empty DATA_DIR`,
  )
}
