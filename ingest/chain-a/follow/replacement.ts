/**
 * Reads the range that replaces published blocks. This happens after a reorg, or when an EVM log was missing
 * in the node's first answer.
 */
import { OperationError } from '../../../infra/errors.ts'
import type { Block } from '../../../schemas/stage.ts'
import type { EpochMs } from '../../../schemas/units.ts'
import { believeTime } from '../../believable-time.ts'
import { type ChainHeader, readHeader } from '../node/headers.ts'
import type { ChainARange } from '../types.ts'
import type { FollowDependencies, LastBlock } from './dependencies.ts'
import { fetchRange, type RawRange } from './fetch-range.ts'
import { toFactRange } from './to-fact-range.ts'

/**
 * The maximum wait until the node reaches the height of the last published block, in milliseconds. The new
 * branch may be shorter at first. After this wait, ingest publishes the part of the branch that exists.
 */
const catchUpMs = 10_000

export type Replacement = Readonly<{
  /** The last published block that is not replaced. */
  common: Block
  last: LastBlock
  /** The maximum number of blocks in one request. */
  span: number
}>

/**
 * Reads the blocks after the common block, up to the last published block. If the node does not reach that block within 10 s, it reads up
 * to the node's head. Fails with `node_inconsistent` if the node changes its branch during the read. The caller then starts again.
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
 * Checks that the range begins with the child of the previous block and has possible times. If not, the node contradicts itself or has just
 * changed its branch.
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
