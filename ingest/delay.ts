import { setTimeout as timer } from 'node:timers/promises'

/** Resolves after the time, or as soon as the signal aborts. Never rejects. */
export type Delay = (ms: number, signal: AbortSignal) => Promise<void>

export const delay: Delay = async (ms, signal) => {
  try {
    await timer(ms, undefined, { signal })
  } catch {
    // The timer only fails on abort, and callers check their own signal.
  }
}
