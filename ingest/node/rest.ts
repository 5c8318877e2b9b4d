import type { DurationMs, EpochMs } from '../../schemas/units.ts'

export type Rest = Readonly<{
  /** The time until the pause ends, in ms. 0 if there is no pause. */
  leftMs(): DurationMs
  /** Starts a pause of this duration, which the URL has requested. */
  asked(forMs: DurationMs): void
}>

/** Keeps the pause that a URL requested with `Retry-After`. No request is sent to the URL until the pause ends. */
export function createRest(nowMs: () => EpochMs): Rest {
  let untilMs = 0
  return {
    leftMs: () => Math.max(0, untilMs - nowMs()),
    asked(forMs) {
      untilMs = Math.max(untilMs, nowMs() + forMs)
    },
  }
}
