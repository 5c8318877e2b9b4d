/** Where reading starts, and that what comes next is the continuation of what was read. */
import { OperationError } from '../../infra/errors.ts'
import type { Logger } from '../../infra/telemetry.ts'
import type { Delay } from '../delay.ts'
import type { BlockHeader } from '../source.ts'
import { blockAtOrAfter } from './block-at-time.ts'
import { type ChainHeader, readHeader } from './headers.ts'
import type { Node } from './node.ts'
import type { Hex } from './presets.ts'
import { retrying } from './retry.ts'

/** The last block that is done with. `hash` null: nothing was read yet, so nothing has to follow it. */
export type LastBlock = Readonly<{ number: number; hash: Hex | null }>

type Setting = Readonly<{
  node: Node
  delay: Delay
  signal: AbortSignal
  logger: Logger
  backfillMs: number
  pollMs: number
}>

/** The cursor once the node confirmed it, or the block before the first of the backfill. */
export async function startAt(setting: Setting, cursor: BlockHeader | null): Promise<LastBlock> {
  return cursor ? await confirmCursor(setting, cursor) : await coldStart(setting)
}

async function coldStart({ node, delay, signal, backfillMs }: Setting): Promise<LastBlock> {
  const ask = async (): Promise<LastBlock> => {
    const head = await readHeader(node, 'latest', signal)
    if (!head) throw new OperationError('node_inconsistent', 'the node has no newest block')
    const first = await blockAtOrAfter(node, { head, atMs: head.atMs - backfillMs }, signal)
    return { number: first - 1, hash: null }
  }
  return await retrying(ask, { delay, signal })
}

async function confirmCursor(setting: Setting, cursor: BlockHeader): Promise<LastBlock> {
  const { node, delay, signal, logger, pollMs } = setting
  for (let isFirst = true; ; isFirst = false) {
    const found = await retrying(() => readHeader(node, cursor.number, signal), { delay, signal })
    if (found?.hash === cursor.hash) return cursor
    if (found) throw mismatch(cursor, found.hash)
    if (isFirst) logger.warn({ blockNumber: cursor.number }, 'the node is behind the log; waiting for it')
    await delay(pollMs, signal)
    signal.throwIfAborted()
  }
}

/** Looks at the old block this often before it believes that the chain has left it. */
const confirmations = 3

/**
 * The first block of a range must be the child of the last one read. Fails with `chain_mismatch` when the node, asked
 * again, has another block in that one's place, with `node_inconsistent` when it was only of two minds.
 */
export async function checkContinuity(
  { node, delay, signal, pollMs }: Setting,
  { last, next }: Readonly<{ last: LastBlock; next: ChainHeader }>,
): Promise<void> {
  if (last.hash === null || next.parentHash === last.hash) return
  for (let look = 0; look < confirmations; look++) {
    const found = await readHeader(node, last.number, signal)
    if (!found || found.hash === last.hash)
      throw new OperationError('node_inconsistent', `block ${next.number} does not follow block ${last.number}`)
    if (look === confirmations - 1) throw mismatch({ number: last.number, hash: last.hash }, found.hash)
    await delay(pollMs, signal)
  }
}

const mismatch = (known: Readonly<{ number: number; hash: Hex }>, found: Hex): OperationError =>
  new OperationError(
    'chain_mismatch',
    `block ${known.number} is ${known.hash} in the log but ${found} at the node: another chain, or a branch that was ` +
      'replaced deeper than CHAIN_A_LAG_BLOCKS. Check CHAIN_A_RPC_URL and DATA_DIR; a fresh DATA_DIR starts over',
    { context: { blockNumber: known.number, known: known.hash, found } },
  )
