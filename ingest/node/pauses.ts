import type { Delay } from '../delay.ts'
import { untilAborted } from '../until-aborted.ts'
import type { Pause } from './ask-again.ts'

type Shared = { readonly ended: Promise<void>; readonly stop: AbortController; waiting: number }

/**
 * Requests that failed equally often wait for the same instant. Those of a failed batch therefore travel in one batch
 * again: apart, each would cost a request of its own.
 */
export function createPauses(delay: Delay): Pause {
  const pauses = new Map<number, Shared>()

  const open = (tryCount: number, waitMs: number): Shared => {
    const stop = new AbortController()
    const ended = delay(waitMs, stop.signal).then(() => void pauses.delete(tryCount))
    const pause = { ended, stop, waiting: 0 }
    pauses.set(tryCount, pause)
    return pause
  }

  return async (tryCount, waitMs, signal) => {
    const pause = pauses.get(tryCount) ?? open(tryCount, waitMs)
    pause.waiting++
    try {
      // A signal of its own: many wait on the one that all share.
      await untilAborted(pause.ended, AbortSignal.any([signal]))
    } finally {
      pause.waiting--
      // A timer that nobody waits for would keep the process from ending.
      if (pause.waiting === 0) pause.stop.abort()
    }
  }
}
