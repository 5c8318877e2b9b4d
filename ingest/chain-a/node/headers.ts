import { OperationError } from '../../../infra/errors.ts'
import type { Block } from '../../../schemas/stage.ts'
import type { BlockHash, Hex } from '../../../schemas/units.ts'
import { askMany } from './ask-many.ts'
import type { Node } from './node.ts'

export type ChainHeader = Block & Readonly<{ parentHash: BlockHash }>

/**
 * Reads the header of a block, or of the newest block. Returns null if the node does not have the block.
 * Fails with `node_inconsistent` if the node sends a block with another number.
 */
export async function readHeader(
  node: Node,
  block: number | 'latest',
  signal: AbortSignal,
): Promise<ChainHeader | null> {
  const tag = block === 'latest' ? block : toHex(block)
  const header = headerOf(await node.request({ method: 'eth_getBlockByNumber', params: [tag, false] }, signal))
  if (header === null || block === 'latest' || header.number === block) return header
  throw new OperationError('node_inconsistent', `the node sent block ${header.number} instead of block ${block}`)
}

/** Reads the headers of blocks, by number. Fails with `node_inconsistent` if the node does not have one of them. */
export async function readHeaders(
  node: Node,
  numbers: readonly number[],
  signal: AbortSignal,
): Promise<ReadonlyMap<number, ChainHeader>> {
  const found = new Map<number, ChainHeader>()
  await askMany(numbers, async (number) => {
    const header = await readHeader(node, number, signal)
    if (header === null)
      throw new OperationError('node_inconsistent', `the node does not have block ${number}, although it should`)
    found.set(number, header)
  })
  return found
}

export const toHex = (value: number): Hex => `0x${value.toString(16)}`

function headerOf(raw: unknown): ChainHeader | null {
  if (typeof raw !== 'object' || raw === null) return null
  const { number, hash, parentHash, timestamp } = raw as Record<string, unknown>
  const header = {
    number: Number(number),
    hash: String(hash).toLowerCase() as BlockHash,
    parentHash: String(parentHash).toLowerCase() as BlockHash,
    atMs: Number(timestamp) * 1000,
  }
  // A block that is still pending has no number and no hash.
  const isWhole =
    typeof number === 'string' &&
    typeof timestamp === 'string' &&
    [header.number, header.atMs].every((value) => Number.isSafeInteger(value) && value >= 0) &&
    [header.hash, header.parentHash].every((hash) => /^0x[0-9a-f]{64}$/.test(hash))
  if (!isWhole) throw new OperationError('node_inconsistent', 'the node sent a block without number, hash or time')
  return header
}
