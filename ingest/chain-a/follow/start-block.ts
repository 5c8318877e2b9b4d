import { isOperationError, OperationError } from '../../../infra/errors.ts'
import type { Block } from '../../../schemas/stage.ts'
import { believeTime } from '../../believable-time.ts'
import type { Delay } from '../../delay.ts'
import { type ChainHeader, readHeader } from '../node/headers.ts'
import type { FollowDependencies, LastBlock } from './dependencies.ts'

/**
 * Returns the block after which reading starts: the cursor (the last block in the log), or without a cursor
 * the block before the backfill. Later steps check the cursor against the node. Waits while the node
 * contradicts itself.
 */
export async function startAt(dependencies: FollowDependencies, cursor: Block | null): Promise<LastBlock> {
  const { logger, delay, pollMs, signal } = dependencies
  while (true) {
    try {
      return await findStart(dependencies, cursor)
    } catch (error) {
      if (!isOperationError(error, 'node_inconsistent')) throw error
      logger.warn({ reason: error.message }, 'the node contradicts itself. Ingest reads the blocks again')
      await delay(pollMs, signal)
      signal.throwIfAborted()
    }
  }
}

async function findStart(dependencies: FollowDependencies, cursor: Block | null): Promise<LastBlock> {
  const { backfillMs, logger, nowMs } = dependencies
  const head = await headerReader(dependencies)('latest')
  if (cursor && head.number < cursor.number)
    logger.warn({ head: head.number, cursor: cursor.number }, 'the node is behind the log. Ingest waits for the node')
  if (cursor) return cursor
  const read = headerReader(dependencies, (header) => {
    believeTime(header, { nowMs: nowMs(), afterMs: 0 })
    return header
  })
  const newest = await read('latest')
  // Reads the newest block again by its number. If the first answer were wrong, the log would begin at a
  // wrong time.
  if ((await read(newest.number)).hash !== newest.hash)
    throw new OperationError('node_inconsistent', `the node gave two different blocks ${newest.number}`)
  const first = await blockAtOrAfter(read, { head: newest, atMs: newest.atMs - backfillMs })
  return { number: first - 1, hash: null, atMs: 0 }
}

/**
 * Creates the reader of headers. The reader retries each header separately. A search reads 25 headers. If
 * only the whole search were retried, it would almost never succeed at a node that often fails.
 */
const headerReader =
  ({ node, delay, signal }: FollowDependencies, believed = (header: ChainHeader) => header): HeaderReader =>
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

/** Reads a header. Fails if the node does not have the block. */
type HeaderReader = (block: number | 'latest') => Promise<ChainHeader>

/** Returns the first block at or after an instant, or the head if there is none. Block times never fall, so a bisection finds the block. */
async function blockAtOrAfter(
  read: HeaderReader,
  { head, atMs }: Readonly<{ head: ChainHeader; atMs: number }>,
): Promise<number> {
  let low = 0
  let high = head.number
  while (low < high) {
    const middle = Math.floor((low + high) / 2)
    const header = await read(middle)
    if (header.atMs < atMs) low = middle + 1
    else high = middle
  }
  return low
}

/** The waits between the tries of a read: 0.25 s to 8 s, about 16 s in all. */
const waitsMs = [250, 500, 1000, 2000, 4000, 8000] as const

/**
 * Retries a read that fails with `node_inconsistent` or `node_unreachable`, and throws its last error. A refusal is final. Each retry
 * repeats all requests of `read`, so `read` should be a single read.
 */
export async function retrying<Result>(
  read: () => Promise<Result>,
  { delay, signal }: Readonly<{ delay: Delay; signal: AbortSignal }>,
): Promise<Result> {
  for (const waitMs of waitsMs) {
    try {
      return await read()
    } catch (error) {
      if (!isOperationError(error, 'node_unreachable') && !isOperationError(error, 'node_inconsistent')) throw error
      await delay(waitMs, signal)
    }
  }
  return await read()
}
