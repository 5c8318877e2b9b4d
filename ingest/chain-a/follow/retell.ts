/** Blocks that were told are told again, from one on: after a revert, or when the node had left out a log. */
import { OperationError } from '../../../infra/errors.ts'
import type { FactRange } from '../../source.ts'
import { type ChainHeader, readHeader } from '../node/headers.ts'
import { fetchRange, type RawRange } from './fetch-range.ts'
import type { Follower, LastBlock } from './follower.ts'
import { tellRange } from './tell.ts'

/** The new branch may be shorter at first. Then what there is of it is told, rather than nothing. */
const catchUpMs = 10_000

export type Retelling = Readonly<{
  /** The last block that stays as it was told. */
  common: Readonly<{ number: number; hash: string }>
  last: LastBlock
  /** Blocks in one question. */
  span: number
}>

/**
 * One range from behind the common block up to the last block told, or as far as the node is within 10 s. Fails with
 * `node_inconsistent` when the node changes its branch meanwhile: then all of it is to be done again.
 */
export async function retell(follower: Follower, { common, last, span }: Retelling): Promise<FactRange> {
  const { node, contracts, signal } = follower
  const fromBlock = common.number + 1
  const head = await awaitHeight(follower, last.number)
  const toBlock = Math.max(fromBlock, Math.min(last.number, head.number - follower.lagBlocks))
  const raws: RawRange[] = []
  let before = common
  for (let from = fromBlock; from <= toBlock; from += span) {
    const to = Math.min(toBlock, from + span - 1)
    const raw = await fetchRange(node, { fromBlock: from, toBlock: to, contracts, linkFrom: from }, signal)
    checkFollows(raw.first, before)
    raws.push(raw)
    before = raw.last
  }
  return { ...(await tellRange(follower, raws)), revertedFrom: fromBlock, chainHeadNumber: head.number }
}

/** The block must be the child of the one before. Otherwise the node is of two minds, or has just left its branch. */
export function checkFollows(next: ChainHeader, before: Readonly<{ number: number; hash: string | null }>): void {
  if (before.hash === null || next.parentHash === before.hash) return
  throw new OperationError('node_inconsistent', `block ${next.number} does not follow block ${before.number}`)
}

async function awaitHeight({ node, delay, signal, pollMs, lagBlocks }: Follower, block: number): Promise<ChainHeader> {
  for (let waitedMs = 0; ; waitedMs += pollMs) {
    const head = await readHeader(node, 'latest', signal)
    if (head && (head.number - lagBlocks >= block || waitedMs >= catchUpMs)) return head
    if (!head && waitedMs >= catchUpMs) throw new OperationError('node_inconsistent', 'the node has no newest block')
    await delay(pollMs, signal)
    signal.throwIfAborted()
  }
}
