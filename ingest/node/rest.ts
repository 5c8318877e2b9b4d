import type { DurationMs, EpochMs } from '../../schemas/units.ts'

export type Rest = Readonly<{
  /** The rest of the pause, in ms. 0 if there is none. */
  leftMs(): DurationMs
  /** Records that the URL asked for a pause. */
  asked(forMs: DurationMs): void
}>

/** After a `Retry-After`, no request goes to the URL until that time. */
export function createRest(nowMs: () => EpochMs): Rest {
  let untilMs = 0
  return {
    leftMs: () => Math.max(0, untilMs - nowMs()),
    asked(forMs) {
      untilMs = Math.max(untilMs, nowMs() + forMs)
    },
  }
}
