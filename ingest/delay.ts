import { setTimeout as timer } from 'node:timers/promises'
import type { DurationMs } from '../schemas/units.ts'

/** Resolves after `ms`, or as soon as the signal aborts. Never rejects. */
export type Delay = (ms: DurationMs, signal: AbortSignal) => Promise<void>

export const delay: Delay = async (ms, signal) => {
  try {
    await timer(ms, undefined, { signal })
  } catch {
    // The timer fails only if the signal aborts. The callers check the signal themselves.
  }
}
