import { OperationError } from '../../../infra/errors.ts'
import { type ChainHeader, readHeader } from './headers.ts'
import type { Node } from './node.ts'

/** The first block at or after an instant, or else the head. Halving finds it, because block times never fall. */
export async function blockAtOrAfter(
  node: Node,
  { head, atMs }: Readonly<{ head: ChainHeader; atMs: number }>,
  signal: AbortSignal,
): Promise<number> {
  let low = 0
  let high = head.number
  while (low < high) {
    const middle = Math.floor((low + high) / 2)
    const header = await readHeader(node, middle, signal)
    if (!header) throw new OperationError('node_inconsistent', `the node does not have block ${middle}`)
    if (header.atMs < atMs) low = middle + 1
    else high = middle
  }
  return low
}
