/**
 * Detects that a reorg has replaced blocks that ingest has read. Finds the newest block that ingest has
 * recorded and the node still has.
 */
import { OperationError } from '../../../infra/errors.ts'
import type { Block } from '../../../schemas/stage.ts'
import { answersSteadily } from '../../answers-steadily.ts'
import { isAheadOfClock, isSameBlock } from '../../believable-time.ts'
import { newestCommon } from '../../newest-common.ts'
import { inconsistent } from '../node/failures.ts'
import type { FollowDependencies } from './dependencies.ts'
import type { LastBlock } from './links.ts'

/**
 * The number of reads after which a block counts as replaced. One read is not enough, because a load balancer
 * may have forwarded the request to a node that is behind.
 */
const looks = 3

/**
 * Returns whether the last block that ingest read was replaced. This is so if each of several reads of its
 * slot gives another block, or no block.
 */
export async function isReplaced(
  { reader, delay, signal, pollMs }: FollowDependencies,
  last: LastBlock,
): Promise<boolean> {
  for (let look = 1; look <= looks; look++) {
    if ((await reader.block(last.number, signal))?.hash === last.hash) return false
    if (look < looks) await delay(pollMs, signal)
  }
  return true
}

/**
 * Returns whether the last block was recorded wrongly. This is so if its recorded time is in the future, and
 * the node now gives another time or hash.
 */
export async function isWrongInLog({ reader, signal, nowMs }: FollowDependencies, { number, hash, atMs }: LastBlock) {
  if (hash === null || !isAheadOfClock({ atMs }, nowMs())) return false
  const atNode = await reader.block(number, signal)
  return atNode !== null && !isSameBlock({ hash, atMs }, atNode, nowMs())
}

/** The number of equal answers after which ingest stops with `reorg_too_deep`. The requests are 1 s apart. */
const looksBeforeTooDeep = 30

/**
 * Returns the newest recorded block that the node still has. Fails with `reorg_too_deep` if the node has none
 * of the recorded blocks of the last `reorgSlotsMax` slots.
 */
export async function findCommonBlock(dependencies: FollowDependencies, last: LastBlock): Promise<Block> {
  const { reader, signal, delay, known, reorgSlotsMax, nowMs } = dependencies
  const published = await known.blocksFrom(last.number - reorgSlotsMax)
  const isCommon = async (block: Block) => isSameBlock(block, await reader.block(block.number, signal), nowMs())
  const common = await newestCommon(published, isCommon)
  if (common?.number === last.number)
    throw inconsistent(`the node had replaced slot ${last.number}, and now has the slot again`)
  if (common) return common
  const { number } = published[0] ?? last
  const hashNow = async () => (await reader.block(number, signal))?.hash ?? null
  if (await answersSteadily(hashNow, { looks: looksBeforeTooDeep, delay, signal })) throw tooDeep(dependencies, last)
  throw inconsistent(`the node gave two different blocks for slot ${number}`)
}

const tooDeep = ({ reader, reorgSlotsMax }: FollowDependencies, { number, hash }: LastBlock): OperationError =>
  new OperationError(
    'reorg_too_deep',
    `the log has slot ${number} with the hash ${hash}. ${reader.host} does not have this block. It has none ` +
      `of the blocks that the log has in the ${reorgSlotsMax} slots before it. The node serves another chain. Check HELIUS_API_KEY, CHAIN_B_RPC_URL and ` +
      'DATA_DIR. A new DATA_DIR starts over',
    { context: { slot: number, known: hash, reorgSlotsMax } },
  )
