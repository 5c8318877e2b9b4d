import type { DurationMs, EpochMs } from '../../schemas/units.ts'

export type RequestedPause = Readonly<{
  /** The time until the pause ends, in ms. 0 if there is no pause. */
  leftMs(): DurationMs
  /** Records that a server requested a pause of this duration, in ms, from now on. */
  asked(forMs: DurationMs): void
}>

/** Stores the end of the pause that a server requested with `Retry-After`. The caller sends no request while `leftMs` is above 0. */
export function createRequestedPause(nowMs: () => EpochMs): RequestedPause {
  let untilMs = 0
  return {
    leftMs: () => Math.max(0, untilMs - nowMs()),
    asked(forMs) {
      untilMs = Math.max(untilMs, nowMs() + forMs)
    },
  }
}
