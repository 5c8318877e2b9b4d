import type { DurationMs } from '../../schemas/units.ts'
import type { Delay } from '../delay.ts'
import { untilAborted } from '../until-aborted.ts'
import type { Pause } from './ask-again.ts'

type Shared = { readonly ended: Promise<void>; readonly stop: AbortController; waiting: number }

/**
 * Requests with the same number of failures wait for the same instant. So the requests of a failed batch travel in one
 * batch again. Apart, each would cost its own request.
 */
export function createPauses(delay: Delay): Pause {
  const pauses = new Map<number, Shared>()

  const open = (tryCount: number, waitMs: DurationMs): Shared => {
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
      // A new signal, because many requests would otherwise add listeners to the shared one.
      await untilAborted(pause.ended, AbortSignal.any([signal]))
    } finally {
      pause.waiting--
      // An abandoned timer would keep the process from ending.
      if (pause.waiting === 0) pause.stop.abort()
    }
  }
}
