/** Chats in which nobody says anything. */
import type { Block } from '../../schemas/stage.ts'
import { delay } from '../delay.ts'
import { beatEveryMs, beatOf, nextBlock } from './beats.ts'
import { chatsDefinition } from './definition.ts'
import type { ChatRange, Chats } from './types.ts'

export const createQuietChats = ({ nowMs }: Readonly<{ nowMs: () => number }>): Chats => ({
  ...chatsDefinition,
  source: { kind: 'simulated', ranges: (cursor, _, signal) => beats(cursor, { nowMs, signal }) },
  readPrice: null,
  lookups: [],
})

type Beating = Readonly<{ nowMs: () => number; signal: AbortSignal }>

async function* beats(cursor: Block | null, { nowMs, signal }: Beating): AsyncGenerator<ChatRange> {
  let last = cursor
  while (!signal.aborted) {
    last = nextBlock(last, nowMs())
    yield beatOf(last)
    await delay(beatEveryMs, signal)
  }
}
