import { isOperationError, OperationError } from '../../../infra/errors.ts'
import type { Block } from '../../../schemas/stage.ts'
import { believeTime } from '../../believable-time.ts'
import { blockAtOrAfter, type HeaderReader } from '../node/block-at-time.ts'
import { type ChainHeader, readHeader } from '../node/headers.ts'
import { retrying } from '../node/retry.ts'
import type { Follower, LastBlock } from './follower.ts'

/**
 * Starts at the cursor, which every step checks against the node, or else at the block before the backfill. Waits while
 * the node contradicts itself.
 */
export async function startAt(follower: Follower, cursor: Block | null): Promise<LastBlock> {
  const { logger, delay, pollMs, signal } = follower
  while (true) {
    try {
      return await findStart(follower, cursor)
    } catch (error) {
      if (!isOperationError(error, 'node_inconsistent')) throw error
      logger.warn({ reason: error.message }, 'the node contradicts itself; reading again')
      await delay(pollMs, signal)
      signal.throwIfAborted()
    }
  }
}

async function findStart(follower: Follower, cursor: Block | null): Promise<LastBlock> {
  const { backfillMs, logger, nowMs } = follower
  const head = await headerReader(follower)('latest')
  if (cursor && head.number < cursor.number)
    logger.warn({ head: head.number, cursor: cursor.number }, 'the node is behind the log; waiting for it')
  if (cursor) return cursor
  const read = headerReader(follower, (header) => {
    believeTime(header, { nowMs: nowMs(), afterMs: 0 })
    return header
  })
  const newest = await read('latest')
  // With a wrong number for the newest block, the log would begin at the wrong age, and that cannot be corrected later.
  if ((await read(newest.number)).hash !== newest.hash)
    throw new OperationError('node_inconsistent', `the node gave two different blocks ${newest.number}`)
  const first = await blockAtOrAfter(read, { head: newest, atMs: newest.atMs - backfillMs })
  return { number: first - 1, hash: null, atMs: 0 }
}

/**
 * Each header has its own retries. With a faulty node, a search of 25 headers would almost never succeed as a whole.
 */
const headerReader =
  ({ node, delay, signal }: Follower, believed = (header: ChainHeader) => header): HeaderReader =>
  (block) =>
    retrying(
      async () => {
        const header = await readHeader(node, block, signal)
        if (header) return believed(header)
        const missing = block === 'latest' ? 'has no newest block' : `does not have block ${block}`
        throw new OperationError('node_inconsistent', `the node ${missing}`)
      },
      { delay, signal },
    )
