/** Ranges without facts: that the chats were followed until now, and nobody said anything. */
import type { Block } from '../../schemas/stage.ts'
import type { ChatRange } from './types.ts'

/** How often a source says so. */
export const beatEveryMs = 2_000

/** A block of the chats. Time does not go back, even if the clock does. */
export const nextBlock = (last: Pick<Block, 'number' | 'atMs'> | null, nowMs: number): Block => ({
  number: (last?.number ?? 0) + 1,
  hash: '0x',
  atMs: Math.max(nowMs, last?.atMs ?? 0),
})

export const beatOf = (head: Block): ChatRange => ({ fromBlock: head.number, head, facts: [], newAddresses: [] })
