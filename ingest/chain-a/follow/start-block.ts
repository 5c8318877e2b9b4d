import { OperationError } from '../../../infra/errors.ts'
import type { Block } from '../../../schemas/stage.ts'
import { blockAtOrAfter } from '../node/block-at-time.ts'
import { readHeader } from '../node/headers.ts'
import { retrying } from '../node/retry.ts'
import type { Follower, LastBlock } from './follower.ts'

/** Starts at the cursor, which every step checks against the node, or else at the block before the backfill. */
export async function startAt(follower: Follower, cursor: Block | null): Promise<LastBlock> {
  const { node, delay, signal, backfillMs, logger } = follower
  return await retrying(
    async () => {
      const head = await readHeader(node, 'latest', signal)
      if (!head) throw new OperationError('node_inconsistent', 'the node has no newest block')
      if (cursor && head.number < cursor.number)
        logger.warn({ head: head.number, cursor: cursor.number }, 'the node is behind the log; waiting for it')
      if (cursor) return cursor
      const first = await blockAtOrAfter(node, { head, atMs: head.atMs - backfillMs }, signal)
      return { number: first - 1, hash: null }
    },
    { delay, signal },
  )
}
