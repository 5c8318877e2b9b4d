import type { DurationMs, EpochMs } from '../../schemas/units.ts'

export type RequestedPause = Readonly<{
  /** The time until the pause ends, in ms. 0 if there is no pause. */
  leftMs(): DurationMs
  /** Records that a server requested a pause of this duration, in ms, from now on. */
  asked(forMs: DurationMs): void
}>

/**
 * Stores the end of the pause that a server requested with `Retry-After`. The caller sends no request while `leftMs` is above 0. If the
 * clock is set back, the pause begins again, but is not longer.
 */
export function createRequestedPause(nowMs: () => EpochMs): RequestedPause {
  let untilMs = 0
  let pauseMs = 0
  const leftMs = () => {
    untilMs = Math.min(untilMs, nowMs() + pauseMs)
    return Math.max(0, untilMs - nowMs())
  }
  return {
    leftMs,
    asked(forMs) {
      pauseMs = Math.max(leftMs(), forMs)
      untilMs = nowMs() + pauseMs
    },
  }
}
