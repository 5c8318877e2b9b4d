/** What is recent. */
import assert from 'node:assert/strict'
import type { DurationMs, EpochMs } from '../../../schemas/units.ts'
import type { Cut } from '../../cuts.ts'

/** Until when the chats were followed. */
export function chatsClockMs({ stages }: Cut): EpochMs {
  const chats = stages.chats
  assert(chats, 'what is sold of calls depends on the chats')
  return chats.blockAtMs
}

/** `(to - durationMs, to]`. */
export const before = (to: EpochMs, durationMs: DurationMs) => ({ from: Math.floor(to - durationMs) + 1, to })
