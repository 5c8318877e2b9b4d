/** The range that replaces published blocks, after a reorg or when the node had left out a log. */
import { OperationError } from '../../../infra/errors.ts'
import type { Block } from '../../../schemas/stage.ts'
import type { EpochMs } from '../../../schemas/units.ts'
import { believeTime } from '../../believable-time.ts'
import { type ChainHeader, readHeader } from '../node/headers.ts'
import type { ChainARange } from '../types.ts'
import type { FollowDependencies, LastBlock } from './dependencies.ts'
import { fetchRange, type RawRange } from './fetch-range.ts'
import { toFactRange } from './to-fact-range.ts'

/** The new branch may be shorter at first. After this wait, the part that exists is published. */
const catchUpMs = 10_000

export type Replacement = Readonly<{
  /** The last block that stays. */
  common: Block
  last: LastBlock
  /** Blocks in one request. */
  span: number
}>

/**
 * Reads from the block after the common one up to the last published block, or as far as the node gets within 10 s.
 * Fails with `node_inconsistent` if the node changes its branch while this reads. The caller then starts over.
 */
export async function readReplacement(
  dependencies: FollowDependencies,
  { common, last, span }: Replacement,
): Promise<ChainARange> {
  const { node, contracts, signal } = dependencies
  const fromBlock = common.number + 1
  const head = await awaitHeight(dependencies, last.number)
  const toBlock = Math.max(fromBlock, Math.min(last.number, head.number - dependencies.lagBlocks))
  const raws: RawRange[] = []
  let before: LastBlock = common
  for (let from = fromBlock; from <= toBlock; from += span) {
    const to = Math.min(toBlock, from + span - 1)
    const raw = await fetchRange(node, { fromBlock: from, toBlock: to, contracts, linkFrom: from }, signal)
    checkFollows(raw, before, dependencies.nowMs())
    raws.push(raw)
    before = raw.last
  }
  return { ...(await toFactRange(dependencies, raws)), revertedFrom: fromBlock, chainHeadNumber: head.number }
}

/**
 * The range must begin with the child of the previous block and have possible times. Otherwise the node contradicts
 * itself or has just changed its branch.
 */
export function checkFollows(
  { first, last }: Pick<RawRange, 'first' | 'last'>,
  before: LastBlock,
  nowMs: EpochMs,
): void {
  if (before.hash !== null && first.parentHash !== before.hash)
    throw new OperationError('node_inconsistent', `block ${first.number} does not follow block ${before.number}`)
  believeTime(first, { nowMs, afterMs: before.atMs })
  believeTime(last, { nowMs, afterMs: first.atMs })
}

async function awaitHeight(
  { node, delay, signal, pollMs, lagBlocks }: FollowDependencies,
  block: number,
): Promise<ChainHeader> {
  for (let waitedMs = 0; ; waitedMs += pollMs) {
    const head = await readHeader(node, 'latest', signal)
    if (head && (head.number - lagBlocks >= block || waitedMs >= catchUpMs)) return head
    if (!head && waitedMs >= catchUpMs) throw new OperationError('node_inconsistent', 'the node has no newest block')
    await delay(pollMs, signal)
    signal.throwIfAborted()
  }
}
