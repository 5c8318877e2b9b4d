/** Each block names the previous one, so a chain of blocks has no gap and is of one branch. */
import type { BlockHash, EpochMs } from '../../../schemas/units.ts'
import { inconsistent } from '../node/failures.ts'
import type { NodeBlock } from '../node/reader.ts'
import type { LinkedSlot } from './slot-reader.ts'

/** The last block that was read. `hash` is null if nothing was read yet, so that any block may follow. */
export type LastBlock = Readonly<{ number: number; hash: BlockHash | null; atMs: EpochMs }>

/** `replaced`: the chain has another block there, or none. Fails with `node_inconsistent` when blocks are missing. */
export function linkOf(blocks: readonly NodeBlock[], last: LastBlock): 'follows' | 'replaced' {
  for (const [index, block] of blocks.entries()) {
    const before = blocks[index - 1]
    if (before && !(block.parentSlot === before.number && block.parentHash === before.hash))
      throw inconsistent(`the block of slot ${block.number} does not follow that of slot ${before.number}`)
  }
  const [first] = blocks
  if (!first || last.hash === null) return 'follows'
  if (first.parentSlot > last.number)
    throw inconsistent(`the node left out the block of slot ${first.parentSlot}, after ${last.number}`)
  return first.parentSlot === last.number && first.parentHash === last.hash ? 'follows' : 'replaced'
}

/**
 * Block times are estimates of validators. If one is before the time of the previous block, the previous time is used.
 */
export function withRisingTimes(slots: readonly LinkedSlot[], afterMs: EpochMs): readonly LinkedSlot[] {
  let atMs = afterMs
  return slots.map(({ block, transactions }) => {
    atMs = Math.max(atMs, block.atMs)
    return { transactions, block: { ...block, atMs } }
  })
}
