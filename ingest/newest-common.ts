import type { Block } from '../schemas/stage.ts'

/**
 * The newest of the blocks (given oldest first) that the chain still has. Found by bisection, because all blocks below
 * a common one are common.
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
