export type Rest = Readonly<{
  /** The rest of the pause, in ms. 0 if there is none. */
  leftMs(): number
  /** Records that the URL asked for a pause. */
  asked(forMs: number): void
}>

/** After a `Retry-After`, no request goes to the URL until that time. */
export function createRest(nowMs: () => number): Rest {
  let untilMs = 0
  return {
    leftMs: () => Math.max(0, untilMs - nowMs()),
    asked(forMs) {
      untilMs = Math.max(untilMs, nowMs() + forMs)
    },
  }
}
