/**
 * Reads and writes blocks of records in an LMDB environment. The key of a block is
 * block/topic/partition/first offset.
 */
import type { TopicName } from '../../../schemas/topics.ts'
import type { Environment } from '../../data-dir/lmdb.ts'
import type { UnplacedBlock } from '../pack-blocks.ts'
import { offsetAfter, type PackedBlock } from '../record-batch.ts'
import { blockDamaged, blocksMissing } from './damage.ts'
import { offsetMax } from './index-rows.ts'
import { type BlockPlace, decodeBlock, encodeBlock } from './stored-block.ts'

export type BlockRange = Readonly<{ topic: TopicName; partition: number; fromOffset: number; endOffset: number }>

/** The entries of the log's index that show which blocks must exist in a range of offsets. */
export type Coverage = Readonly<{
  /** The first offset of the first block that was written into this LMDB environment. */
  startOffset: number
  /**
   * From this offset on, every block has a checksum, and blocks are missing only in gaps that the index
   * records.
   */
  checkedFrom: number
  /**
   * The end of the gap (offsets without a block) that begins at this offset. Retention and compaction leave
   * such gaps. Undefined if no gap begins here.
   */
  gapEnd(fromOffset: number): number | undefined
}>

const keyOf = (topic: TopicName, partition: number, firstOffset: number) => ['block', topic, partition, firstOffset]
const offsetIn = (key: unknown): number => (key as [string, string, number, number])[3]

/**
 * Yields the blocks with records in the range. The first block may begin before the range, because the first offset may
 * be in the middle of a block. Each block is checked before it is yielded. Fails with `log_corrupt` at a block that is
 * damaged or missing.
 */
export function* blocksIn(environment: Environment, range: BlockRange, coverage: Coverage): Generator<PackedBlock> {
  const { topic, partition, fromOffset, endOffset } = range
  const { checkedFrom } = coverage
  const before = {
    start: keyOf(topic, partition, fromOffset),
    end: keyOf(topic, partition, -1),
    limit: 1,
    reverse: true,
  }
  const [found] = environment.getKeys(before)
  const start = found ?? keyOf(topic, partition, fromOffset)
  const checkNext = (endedAt: number, beginsAt: number) => {
    if (endedAt === beginsAt || beginsAt <= checkedFrom || coverage.gapEnd(endedAt) === beginsAt) return
    throw blocksMissing({ environment, topic, partition, offset: endedAt }, beginsAt)
  }
  let nextOffset = found === undefined ? coverage.startOffset : offsetIn(found)
  for (const { key, value } of environment.getRange({ start, end: keyOf(topic, partition, endOffset) })) {
    const firstOffset = offsetIn(key)
    checkNext(nextOffset, firstOffset)
    const block = decodeBlock({ topic, partition, firstOffset }, value, firstOffset < checkedFrom)
    if (block === null) throw blockDamaged({ environment, topic, partition, offset: firstOffset })
    yield block
    nextOffset = offsetAfter(block)
  }
  checkNext(nextOffset, endOffset)
}

/**
 * Writes the blocks of an append at the partition's end. First removes blocks that a crashed append left
 * there. Otherwise, old blocks of a longer crashed append would become readable when the end offset passes
 * them.
 */
export function placeBlocks(
  environment: Environment,
  { topic, partition, endOffset }: Readonly<{ topic: TopicName; partition: number; endOffset: number }>,
  blocks: readonly UnplacedBlock[],
): void {
  const leftOver = { start: keyOf(topic, partition, endOffset), end: keyOf(topic, partition, offsetMax) }
  for (const key of [...environment.getKeys(leftOver)]) environment.removeSync(key)
  let firstOffset = endOffset
  for (const block of blocks) {
    replaceBlock(environment, { topic, partition, firstOffset }, block)
    firstOffset += block.count
  }
}

/** Writes a block in place of the old block, if there is one. If the new block is null, only removes the old block. */
export function replaceBlock(environment: Environment, place: BlockPlace, block: UnplacedBlock | null): void {
  const key = keyOf(place.topic, place.partition, place.firstOffset)
  if (block) environment.putSync(key, encodeBlock(place, block))
  else environment.removeSync(key)
}
