export type Rest = Readonly<{
  /** How long the URL is still left alone. */
  leftMs(): number
  /** It asked to be left alone for so long. */
  asked(forMs: number): void
}>

/** A URL that sent `Retry-After` is not asked until then, not even by other requests. */
export function createRest(nowMs: () => number): Rest {
  let untilMs = 0
  return {
    leftMs: () => Math.max(0, untilMs - nowMs()),
    asked(forMs) {
      untilMs = Math.max(untilMs, nowMs() + forMs)
    },
  }
}
