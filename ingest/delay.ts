import { setTimeout as timer } from 'node:timers/promises'

/** Resolves after the time, or at once when the signal aborts. Never rejects. */
export type Delay = (ms: number, signal: AbortSignal) => Promise<void>

export const delay: Delay = async (ms, signal) => {
  try {
    await timer(ms, undefined, { signal })
  } catch {
    // A timer fails only by the abort, and callers check their own signal.
  }
}
