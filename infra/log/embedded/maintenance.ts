/** Retention and compaction of the embedded log. */
import type { Topic, TopicName } from '../../../schemas/topics.ts'
import type { DurationMs, EpochMs } from '../../../schemas/units.ts'
import { crashPoint } from '../../crash-points.ts'
import { readerWaitMsMax } from '../../data-dir/reader-holds.ts'
import { planCompaction } from '../compaction.ts'
import { offsetAfter, type PackedBlock } from '../record-batch.ts'
import { expiredBeforeMs } from '../retention.ts'
import { type BlockRange, blocksIn, replaceBlock } from './blocks.ts'
import { dayOf } from './day-environments.ts'
import type { Gap } from './index-rows.ts'
import { readBounds, readCommitted } from './read.ts'
import { type EmbeddedStore, isKeptByDay } from './store.ts'

type Maintaining = Readonly<{
  nowMs: EpochMs
  /**
   * Readers in other processes need the records that were appended at this time or later. Null if there are
   * no such readers.
   */
  heldFromAtMs: EpochMs | null
}>

/**
 * Applies retention and compaction to all topics. If a topic is damaged, the other topics are still
 * processed, so that their records do not fill the disk. The first failure is thrown at the end.
 */
export async function maintainEmbedded(store: EmbeddedStore, maintaining: Maintaining): Promise<void> {
  const failures: unknown[] = []
  for (const topic of Object.values(store.topicTable))
    await maintainTopic(store, topic, maintaining).catch((error) => failures.push(error))
  if (failures.length > 0) throw failures[0]
}

async function maintainTopic(store: EmbeddedStore, topic: Topic, maintaining: Maintaining): Promise<void> {
  const { retentionMs } = topic
  if (topic.isCompacted)
    for (let partition = 0; partition < topic.partitionCount; partition++) compactPartition(store, topic, partition)
  else if (retentionMs !== null) await removeOld(store, topic, { ...maintaining, retentionMs })
}

type Age = Maintaining & Readonly<{ retentionMs: DurationMs }>

async function removeOld(store: EmbeddedStore, { name: topic, partitionCount }: Topic, age: Age): Promise<void> {
  const expired = Array.from({ length: partitionCount }, (_, partition) => {
    const newestAtMs = newestAtMsOf(store, topic, partition)
    return { topic, partition, beforeMs: afterReaders(expiredBeforeMs({ ...age, newestAtMs }), age) }
  })
  if (isKeptByDay(store, topic)) return removeOldDays(store, topic, expired)
  for (const each of expired) store.main.transactionSync(() => removeBlocksOlder(store, each))
}

/**
 * The time before which records are removed. Readers delay the removal of the records they need, but at most
 * by `readerWaitMsMax`.
 */
const afterReaders = (beforeMs: EpochMs, { heldFromAtMs }: Maintaining): number =>
  heldFromAtMs === null ? beforeMs : Math.max(Math.min(beforeMs, heldFromAtMs), beforeMs - readerWaitMsMax)

function newestAtMsOf(store: EmbeddedStore, topic: TopicName, partition: number): EpochMs | undefined {
  const { startOffset, endOffset } = readBounds(store, topic, partition)
  if (startOffset === endOffset) return undefined
  return readCommitted(store, { topic, partition, offset: endOffset - 1 }, 1)[0]?.timestampMsAt(0)
}

/** The records of a partition that were appended before `beforeMs`. */
type Expired = Readonly<{ topic: TopicName; partition: number; beforeMs: EpochMs }>

/**
 * Removes the blocks that were appended before `beforeMs`. Blocks are in append order, so the search ends at
 * the first block to keep.
 */
function removeBlocksOlder({ main, index }: EmbeddedStore, { topic, partition, beforeMs }: Expired): void {
  const range = { topic, partition, fromOffset: 0, endOffset: index.endOf(topic, partition) }
  const old: number[] = []
  let keptFrom = range.endOffset
  for (const { firstOffset, timestampMs } of blocksIn(main, range, index.coverageOf(topic, partition))) {
    keptFrom = firstOffset
    if (timestampMs >= beforeMs) break
    old.push(firstOffset)
  }
  if (old.length === 0) return
  for (const firstOffset of old) replaceBlock(main, { topic, partition, firstOffset }, null)
  index.setGaps(topic, partition, [{ fromOffset: 0, endOffset: keptFrom }])
}

/**
 * Removes only whole days, so a record is removed up to a day after its retention has passed. A day is removed from the
 * index before its folder is removed. A crash in between leaves an unused folder, which the next call removes.
 */
async function removeOldDays(store: EmbeddedStore, topic: TopicName, expired: readonly Expired[]): Promise<void> {
  store.main.transactionSync(() => {
    for (const { partition, beforeMs } of expired) forgetDays(store, { topic, partition, beforeMs })
  })
  crashPoint('retention-days-forgotten')
  await store.days.removeBefore(topic, dayOf(Math.min(...expired.map(({ beforeMs }) => beforeMs))))
}

function forgetDays({ index }: EmbeddedStore, { topic, partition, beforeMs }: Expired): void {
  const before = index.firstSegment(topic, partition)?.firstOffset
  index.removeSegmentsBefore(topic, partition, dayOf(beforeMs))
  const keptFrom = index.firstSegment(topic, partition)?.firstOffset
  if (keptFrom === undefined || keptFrom === before) return
  index.setGaps(topic, partition, [{ fromOffset: 0, endOffset: keptFrom }])
}

/**
 * Compacts a partition. The scan may take long, so it runs without the write lock. Only the changed blocks
 * are kept in memory. Only compaction changes committed blocks. If another thread has compacted the partition
 * in the meantime, the result is dropped.
 */
function compactPartition({ main, index }: EmbeddedStore, { name: topic }: Topic, partition: number): void {
  main.resetReadTxn()
  const endOffset = index.endOf(topic, partition)
  const compactedTo = index.compactedTo(topic, partition)
  if (compactedTo === endOffset) return
  const { changes, gaps } = planOf({ main, index }, { topic, partition, fromOffset: 0, endOffset })
  main.transactionSync(() => {
    if (index.compactedTo(topic, partition) !== compactedTo) return
    for (const { firstOffset, kept } of changes) {
      replaceBlock(main, { topic, partition, firstOffset }, kept)
      crashPoint('compaction-block-replaced')
    }
    index.setGaps(topic, partition, gaps)
    index.setCompactedTo(topic, partition, endOffset)
  })
}

/** Returns the changed blocks, and all gaps between the blocks that remain after the compaction. */
function planOf({ main, index }: Pick<EmbeddedStore, 'main' | 'index'>, range: BlockRange) {
  const coverage = index.coverageOf(range.topic, range.partition)
  const plan = planCompaction(blocksIn(main, range, coverage))
  const changes: Readonly<{ firstOffset: number; kept: PackedBlock | null }>[] = []
  const gaps: Gap[] = []
  let nextOffset = 0
  for (const block of blocksIn(main, range, coverage)) {
    const kept = plan.compact(block)
    if (kept !== block) changes.push({ firstOffset: block.firstOffset, kept })
    if (kept === null) continue
    if (kept.firstOffset !== nextOffset) gaps.push({ fromOffset: nextOffset, endOffset: kept.firstOffset })
    nextOffset = offsetAfter(kept)
  }
  return { changes, gaps }
}
