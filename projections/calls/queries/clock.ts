/** What is recent. */
import assert from 'node:assert/strict'
import type { Cut } from '../../cuts.ts'

/** Until when the chats were followed. */
export function chatsClockMs({ stages }: Cut): number {
  const chats = stages.chats
  assert(chats, 'what is sold of calls depends on the chats')
  return chats.blockAtMs
}

/** `(to - durationMs, to]`. */
export const before = (to: number, durationMs: number) => ({ from: Math.floor(to - durationMs) + 1, to })
