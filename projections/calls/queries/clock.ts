/** The clock by which calls are recent or old, and the time ranges of recent calls. */
import assert from 'node:assert/strict'
import type { DurationMs, EpochMs } from '../../../schemas/units.ts'
import type { Cut } from '../../cuts.ts'

/** Returns the newest time up to which the chats were followed, in ms. */
export function chatsClockMs({ stages }: Cut): EpochMs {
  const chats = stages.chats
  assert(chats, 'answers about calls must depend on the chats')
  return chats.blockAtMs
}

/** Returns the range `(to - durationMs, to]` of event times. */
export const before = (to: EpochMs, durationMs: DurationMs) => ({ from: Math.floor(to - durationMs) + 1, to })
