import type { ChainHeader } from './headers.ts'

/** Fails if the node does not have the block. */
export type HeaderReader = (block: number | 'latest') => Promise<ChainHeader>

/** The first block at or after an instant, or else the head. Found by bisection, because block times never fall. */
export async function blockAtOrAfter(
  read: HeaderReader,
  { head, atMs }: Readonly<{ head: ChainHeader; atMs: number }>,
): Promise<number> {
  let low = 0
  let high = head.number
  while (low < high) {
    const middle = Math.floor((low + high) / 2)
    const header = await read(middle)
    if (header.atMs < atMs) low = middle + 1
    else high = middle
  }
  return low
}
