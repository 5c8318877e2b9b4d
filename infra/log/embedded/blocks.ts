/** Blocks in an LMDB environment, under the key block/topic/partition/first offset. */
import type { TopicName } from '../../../schemas/topics.ts'
import type { Environment } from '../../data-dir/lmdb.ts'
import type { UnplacedBlock } from '../pack-blocks.ts'
import type { PackedBlock } from '../record-batch.ts'
import { offsetMax } from './index-rows.ts'
import { decodeBlock, encodeBlock } from './stored-block.ts'

export type BlockRange = Readonly<{ topic: TopicName; partition: number; fromOffset: number; endOffset: number }>

const keyOf = (topic: TopicName, partition: number, firstOffset: number) => ['block', topic, partition, firstOffset]
const offsetIn = (key: unknown): number => (key as [string, string, number, number])[3]

/**
 * The blocks with records in the range, and at most one block before it: the first offset may be in the middle of a
 * block.
 */
export function* blocksIn(environment: Environment, range: BlockRange): Generator<PackedBlock> {
  const { topic, partition, fromOffset, endOffset } = range
  const before = {
    start: keyOf(topic, partition, fromOffset),
    end: keyOf(topic, partition, -1),
    limit: 1,
    reverse: true,
  }
  const [start = keyOf(topic, partition, fromOffset)] = environment.getKeys(before)
  for (const { key, value } of environment.getRange({ start, end: keyOf(topic, partition, endOffset) }))
    yield decodeBlock(offsetIn(key), value)
}

/**
 * Writes the blocks of an append at the partition's end. First removes the blocks that a crashed append left there:
 * otherwise the rest of a longer one would become readable once the end offset has passed it.
 */
export function placeBlocks(
  environment: Environment,
  { topic, partition, endOffset }: Readonly<{ topic: TopicName; partition: number; endOffset: number }>,
  blocks: readonly UnplacedBlock[],
): void {
  const leftOver = { start: keyOf(topic, partition, endOffset), end: keyOf(topic, partition, offsetMax) }
  for (const key of [...environment.getKeys(leftOver)]) environment.removeSync(key)
  let offset = endOffset
  for (const block of blocks) {
    environment.putSync(keyOf(topic, partition, offset), encodeBlock(block))
    offset += block.count
  }
}

/** Writes the compacted block in the place of the old one; null removes it. */
export function replaceBlock(
  environment: Environment,
  { topic, partition, firstOffset }: Readonly<{ topic: TopicName; partition: number; firstOffset: number }>,
  block: PackedBlock | null,
): void {
  const key = keyOf(topic, partition, firstOffset)
  if (block) environment.putSync(key, encodeBlock(block))
  else environment.removeSync(key)
}
