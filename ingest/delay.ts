import { setTimeout as timer } from 'node:timers/promises'

/** Resolves after the time, or at once when the signal aborts; never rejects. */
export type Delay = (ms: number, signal: AbortSignal) => Promise<void>

export const delay: Delay = async (ms, signal) => {
  try {
    await timer(ms, undefined, { signal })
  } catch {
    // The only failure of a timer is the abort, which callers see on their own signal.
  }
}
