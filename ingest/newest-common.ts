import type { Block } from '../schemas/stage.ts'

/**
 * Returns the last of these blocks for which `isCommon` is true (blocks that the chain still has), or
 * undefined. `blocks` must be in ascending order. A chain that has a block also has the blocks before it, so
 * a bisection finds the result.
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
