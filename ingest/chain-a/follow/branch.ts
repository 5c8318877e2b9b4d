/** Whether the node is still on the branch that was read, and where it left it. */
import { OperationError } from '../../../infra/errors.ts'
import type { Hex } from '../../../schemas/units.ts'
import type { BlockHeader } from '../../source.ts'
import { type ChainHeader, readHeader } from '../node/headers.ts'
import type { Follower, LastBlock } from './follower.ts'

/** `behind`: the node does not have the last block, and nothing speaks against its getting it. */
export type Look = Readonly<{ head: ChainHeader | null; place: 'same' | 'replaced' | 'behind' }>

/** The head, and whether what was read last is still below it: also a block replaced at the same height is found so. */
export async function lookAtHead(follower: Follower, last: LastBlock): Promise<Look> {
  const { node, signal, known, reorgBlocksMax } = follower
  const { number, hash } = last
  const [head, found] = await Promise.all([
    readHeader(node, 'latest', signal),
    hash === null ? null : readHeader(node, number, signal),
  ])
  if (!head || hash === null || found?.hash === hash) return { head, place: head ? 'same' : 'behind' }
  if (found) return { head, place: await judge(follower, { number, hash }) }
  // One that is far behind is waited for: to ask the log what it held there would be to read all of it since, at every look.
  if (head.number < number - reorgBlocksMax) return { head, place: 'behind' }
  // A shorter branch looks like a node that is behind, but for the blocks that it does have.
  const below = (await known.blocksFrom(head.number + 1)).findLast((block) => block.number <= head.number)
  if (!below || (await readHeader(node, below.number, signal))?.hash === below.hash) return { head, place: 'behind' }
  const place = await judge(follower, below)
  return { head, place: place === 'replaced' ? place : 'behind' }
}

type Place = Readonly<{ number: number; hash: Hex }>

/** Looks at the block this often before it believes that the chain has left it: behind a balancer one node may lag. */
const looks = 3

async function judge(follower: Follower, { number, hash }: Place): Promise<'same' | 'replaced'> {
  const { node, delay, signal, pollMs } = follower
  for (let look = 1; look < looks; look++) {
    await delay(pollMs, signal)
    const found = await readHeader(node, number, signal)
    if (!found || found.hash === hash) return 'same'
  }
  return 'replaced'
}

/**
 * The newest block in the log that the node still has, by halving: what lies below a common block is common.
 * Fails with `revert_too_deep` when there is none within the horizon.
 */
export async function findCommonBlock(follower: Follower, last: LastBlock): Promise<BlockHeader> {
  const { node, signal, known, reorgBlocksMax } = follower
  const told = await known.blocksFrom(last.number - reorgBlocksMax)
  let low = 0
  let high = told.length
  while (low < high) {
    const middle = Math.floor((low + high) / 2)
    const block = told[middle] as BlockHeader
    const found = await readHeader(node, block.number, signal)
    if (found?.hash === block.hash) low = middle + 1
    else high = middle
  }
  const common = told[low - 1]
  if (common) return common
  const oldest = told[0]
  if (oldest && (await judge(follower, oldest)) === 'same')
    throw new OperationError('node_inconsistent', `the node is of two minds about block ${oldest.number}`)
  throw tooDeep(follower, last)
}

const tooDeep = ({ node, reorgBlocksMax }: Follower, { number, hash }: LastBlock): OperationError =>
  new OperationError(
    'revert_too_deep',
    `block ${number} is ${hash} in the log, and ${node.hosts} has neither it nor a block that the log holds from the ` +
      `${reorgBlocksMax} before it: another chain, or a branch replaced deeper than CHAIN_A_REORG_BLOCKS_MAX. ` +
      'Check CHAIN_A_RPC_URL and DATA_DIR; a fresh DATA_DIR starts over',
    { context: { blockNumber: number, known: hash, reorgBlocksMax } },
  )
