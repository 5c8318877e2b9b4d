import type { DurationMs } from '../../schemas/units.ts'
import type { Delay } from '../delay.ts'
import { untilAborted } from '../until-aborted.ts'
import type { Pause } from './ask-again.ts'

type Shared = { readonly ended: Promise<void>; readonly stop: AbortController; waiting: number }

/**
 * Creates a pause that all requests with the same number of failures share. The failed requests of a batch
 * wait until the same instant, and are then sent in one batch again.
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
      await untilAborted(pause.ended, signal)
    } finally {
      pause.waiting--
      // If no request waits any more, the timer is stopped, because it would keep the process from ending.
      if (pause.waiting === 0) pause.stop.abort()
    }
  }
}
