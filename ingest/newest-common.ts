import type { Block } from '../schemas/stage.ts'

/**
 * Returns the newest of the blocks that the chain still has. The blocks are given oldest first. Bisects, because all
 * blocks below a common block are common.
 */
export async function newestCommon(
  blocks: readonly Block[],
  isCommon: (block: Block) => Promise<boolean>,
): Promise<Block | undefined> {
  let low = 0
  let high = blocks.length
  while (low < high) {
    const middle = Math.floor((low + high) / 2)
    if (await isCommon(blocks[middle] as Block)) low = middle + 1
    else high = middle
  }
  return blocks[low - 1]
}
