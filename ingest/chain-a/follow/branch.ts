/**
 * Detects that a reorg has replaced blocks that ingest read, and finds the last block that the log and the
 * node have in common.
 */
import { OperationError } from '../../../infra/errors.ts'
import type { Block } from '../../../schemas/stage.ts'
import { answersSteadily } from '../../answers-steadily.ts'
import { isSameBlock } from '../../believable-time.ts'
import { newestCommon } from '../../newest-common.ts'
import { type ChainHeader, readHeader } from '../node/headers.ts'
import type { FollowDependencies, LastBlock } from './dependencies.ts'

/**
 * The newest block of the node, and whether the node still has the branch that ingest read. `behind` means
 * that the node lacks the last block that ingest read, but may be on the same branch.
 */
export type Look = Readonly<{ head: ChainHeader | null; branch: 'same' | 'replaced' | 'behind' }>

/**
 * Reads the newest block of the node, and reads the last block of ingest again. A block that was replaced at
 * the same height has another hash.
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
  // If the node is further behind than the deepest reorg, ingest waits for the node. The search below would read too many blocks of the log
  // at each look.
  if (head.number < number - reorgBlocksMax) return { head, branch: 'behind' }
  // A node on a shorter branch looks like a node that is behind. To distinguish them, the newest block of the
  // log that is not above the node's head is compared. If the node has another block with this number, the
  // branch was replaced.
  const below = (await known.blocksFrom(head.number + 1)).findLast((block) => block.number <= head.number)
  if (!below || isSameBlock(below, await readHeader(node, below.number, signal), nowMs()))
    return { head, branch: 'behind' }
  const branch = await judge(dependencies, below)
  return { head, branch: branch === 'replaced' ? branch : 'behind' }
}

/**
 * How often a block is read with another hash before it counts as replaced. One URL may lead to several
 * nodes, and some of them may lack the newest blocks.
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
 * If no common block is found, ingest ends after this number of equal answers of the node. The requests are 1
 * s apart.
 */
const looksBeforeTooDeep = 30

/**
 * Returns the newest block in the log that the node still has. Fails with `reorg_too_deep` if the node has none of the last
 * `reorgBlocksMax` blocks of the log.
 */
export async function findCommonBlock(dependencies: FollowDependencies, last: LastBlock): Promise<Block> {
  const { node, signal, delay, known, reorgBlocksMax, nowMs } = dependencies
  const published = await known.blocksFrom(last.number - reorgBlocksMax)
  const isCommon = async (block: Block) => isSameBlock(block, await readHeader(node, block.number, signal), nowMs())
  const common = await newestCommon(published, isCommon)
  if (common) return common
  const { number } = published[0] ?? last
  const hashNow = async () => (await readHeader(node, number, signal))?.hash ?? null
  if (await answersSteadily(hashNow, { looks: looksBeforeTooDeep, delay, signal })) throw tooDeep(dependencies, last)
  throw new OperationError('node_inconsistent', `the node gave two different blocks with the number ${number}`)
}

const tooDeep = ({ node, reorgBlocksMax }: FollowDependencies, { number, hash }: LastBlock): OperationError =>
  new OperationError(
    'reorg_too_deep',
    `the log has block ${number} with the hash ${hash}. ${node.hosts} does not have this block. It has none ` +
      `of the ${reorgBlocksMax} blocks before it that the log has. The node serves another chain, or a reorg was deeper than ` +
      'CHAIN_A_REORG_BLOCKS_MAX. Check CHAIN_A_RPC_URL and DATA_DIR. A new DATA_DIR starts over',
    { context: { blockNumber: number, known: hash, reorgBlocksMax } },
  )
