/** Detects that the chain replaced the branch that ingest read, and finds the last common block. */
import { OperationError } from '../../../infra/errors.ts'
import type { Block } from '../../../schemas/stage.ts'
import { isSameBlock } from '../../believable-time.ts'
import { newestCommon } from '../../newest-common.ts'
import { saysSteadily } from '../../says-steadily.ts'
import { type ChainHeader, readHeader } from '../node/headers.ts'
import type { FollowDependencies, LastBlock } from './dependencies.ts'

/**
 * The result of a look at the head. `behind`: the node does not have the last read block yet, but may be on the same
 * branch.
 */
export type Look = Readonly<{ head: ChainHeader | null; branch: 'same' | 'replaced' | 'behind' }>

/**
 * Reads the head of the node, and reads the last block again. The second read detects a block that was replaced at the
 * same height.
 */
export async function lookAtHead(dependencies: FollowDependencies, last: LastBlock): Promise<Look> {
  const { node, signal, known, reorgBlocksMax, nowMs } = dependencies
  const { number, hash, atMs } = last
  const [head, found] = await Promise.all([
    readHeader(node, 'latest', signal),
    hash === null ? null : readHeader(node, number, signal),
  ])
  if (!head || hash === null || isSameBlock({ hash, atMs }, found, nowMs()))
    return { head, branch: head ? 'same' : 'behind' }
  if (found) return { head, branch: await judge(dependencies, { number, hash, atMs }) }
  // If the node is further behind than the deepest reorg, ingest waits for it. A search of the log for the node's head
  // would read too many blocks at each look.
  if (head.number < number - reorgBlocksMax) return { head, branch: 'behind' }
  // A node on a shorter branch looks like a node that is behind. So this function compares the newest block of the log
  // that is not above the node's head. If the node has another block with this number, the branch was replaced.
  const below = (await known.blocksFrom(head.number + 1)).findLast((block) => block.number <= head.number)
  if (!below || isSameBlock(below, await readHeader(node, below.number, signal), nowMs()))
    return { head, branch: 'behind' }
  const branch = await judge(dependencies, below)
  return { head, branch: branch === 'replaced' ? branch : 'behind' }
}

/**
 * The number of looks at a block before it counts as replaced. If several nodes serve one URL, one of the nodes may not
 * have the newest blocks yet.
 */
const looks = 3

async function judge(dependencies: FollowDependencies, block: Block): Promise<'same' | 'replaced'> {
  const { node, delay, signal, pollMs, nowMs } = dependencies
  for (let look = 1; look < looks; look++) {
    await delay(pollMs, signal)
    const found = await readHeader(node, block.number, signal)
    if (!found || isSameBlock(block, found, nowMs())) return 'same'
  }
  return 'replaced'
}

/**
 * If no common block is found, ingest ends once the node gives the same answer to this number of requests, one second
 * apart.
 */
const looksBeforeTooDeep = 30

/**
 * Returns the newest block in the log that the node still has. Fails with `reorg_too_deep` if the node has none of the
 * last `reorgBlocksMax` blocks of the log.
 */
export async function findCommonBlock(dependencies: FollowDependencies, last: LastBlock): Promise<Block> {
  const { node, signal, delay, known, reorgBlocksMax, nowMs } = dependencies
  const published = await known.blocksFrom(last.number - reorgBlocksMax)
  const isCommon = async (block: Block) => isSameBlock(block, await readHeader(node, block.number, signal), nowMs())
  const common = await newestCommon(published, isCommon)
  if (common) return common
  const { number } = published[0] ?? last
  const hashNow = async () => (await readHeader(node, number, signal))?.hash ?? null
  if (await saysSteadily(hashNow, { looks: looksBeforeTooDeep, delay, signal })) throw tooDeep(dependencies, last)
  throw new OperationError('node_inconsistent', `the node gave two different blocks ${number}`)
}

const tooDeep = ({ node, reorgBlocksMax }: FollowDependencies, { number, hash }: LastBlock): OperationError =>
  new OperationError(
    'reorg_too_deep',
    `block ${number} is ${hash} in the log. ${node.hosts} has neither this block nor any of the ${reorgBlocksMax} before it ` +
      'that the log holds: it serves another chain, or a reorg was deeper than CHAIN_A_REORG_BLOCKS_MAX. ' +
      'Check CHAIN_A_RPC_URL and DATA_DIR; a new DATA_DIR starts over',
    { context: { blockNumber: number, known: hash, reorgBlocksMax } },
  )
