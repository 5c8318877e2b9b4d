/** Makes empty ranges: ranges without facts. An empty range shows that the chats were followed until now and that nothing was posted. */
import type { Block } from '../../schemas/stage.ts'
import type { EpochMs } from '../../schemas/units.ts'
import type { ChatRange } from './types.ts'

export const emptyRangeEveryMs = 2_000

/**
 * Returns the next block of the chats. Chats have no real blocks, so ingest numbers its own. A block's time
 * is never lower than the previous time, even after the clock was set back.
 */
export const nextBlock = (last: Pick<Block, 'number' | 'atMs'> | null, nowMs: EpochMs): Block => ({
  number: (last?.number ?? 0) + 1,
  hash: '0x',
  atMs: Math.max(nowMs, last?.atMs ?? 0),
})

export const emptyRange = (head: Block): ChatRange => ({ fromBlock: head.number, head, facts: [], newAddresses: [] })
