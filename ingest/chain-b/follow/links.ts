/**
 * Checks that consecutive blocks are linked. Each block contains the hash of its parent. So if all hashes
 * match, no block is missing and all blocks are of one branch.
 */
import type { BlockHash, EpochMs } from '../../../schemas/units.ts'
import { inconsistent } from '../node/failures.ts'
import type { NodeBlock } from '../node/reader.ts'
import type { LinkedSlot } from './slot-reader.ts'

/**
 * The last block that ingest has read. If ingest has not read a block yet, `hash` is null and any block may
 * follow.
 */
export type LastBlock = Readonly<{ number: number; hash: BlockHash | null; atMs: EpochMs }>

/**
 * Returns whether the blocks follow the last block that was read. The result is `replaced` if the slot of the
 * last block now has another block or none. Fails with `node_inconsistent` if blocks are missing.
 */
export function linkOf(blocks: readonly NodeBlock[], last: LastBlock): 'follows' | 'replaced' {
  for (const [index, block] of blocks.entries()) {
    const before = blocks[index - 1]
    if (before && !(block.parentSlot === before.number && block.parentHash === before.hash))
      throw inconsistent(`the block of slot ${block.number} does not follow the block of slot ${before.number}`)
  }
  const [first] = blocks
  if (!first || last.hash === null) return 'follows'
  if (first.parentSlot > last.number)
    throw inconsistent(`the node left out the block of slot ${first.parentSlot}, which comes after slot ${last.number}`)
  return first.parentSlot === last.number && first.parentHash === last.hash ? 'follows' : 'replaced'
}

/**
 * Raises each block time to at least the time of the block before. Block times may fall, because they are
 * estimates of validators. `afterMs` is the time of the block before these slots.
 */
export function withRisingTimes(slots: readonly LinkedSlot[], afterMs: EpochMs): readonly LinkedSlot[] {
  let atMs = afterMs
  return slots.map(({ block, transactions }) => {
    atMs = Math.max(atMs, block.atMs)
    return { transactions, block: { ...block, atMs } }
  })
}
