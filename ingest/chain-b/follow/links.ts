/** Checks that blocks are linked. Each block has the hash of its parent, so linked blocks have no gap and are of one branch. */
import type { BlockHash, EpochMs } from '../../../schemas/units.ts'
import { inconsistent } from '../node/failures.ts'
import type { NodeBlock } from '../node/reader.ts'
import type { LinkedSlot } from './slot-reader.ts'

/** The last block that was read. If nothing was read yet, `hash` is null and any block may follow. */
export type LastBlock = Readonly<{ number: number; hash: BlockHash | null; atMs: EpochMs }>

/**
 * Checks whether the blocks follow the last block. `replaced`: in the slot of the last block, the chain now has another block or none.
 * Fails with `node_inconsistent` if blocks are missing.
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
