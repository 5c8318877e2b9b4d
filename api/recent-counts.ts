/** Counts by key over the last while, in bounded memory and without timers. */
export type RecentCounts = Readonly<{
  add: (key: string) => void
  count: (key: string) => number
  clear: (key: string) => void
  /** One less, the newest. */
  takeBack: (key: string) => void
  /** Until the counts of now are forgotten. */
  forgottenInMs: () => number
}>

/** A count is remembered for one to two generations, or shorter while there are more keys than `keysMax`. */
export function createRecentCounts(
  options: Readonly<{ generationMs: number; nowMs: () => number; keysMax?: number }>,
): RecentCounts {
  const { generationMs, nowMs, keysMax = 50_000 } = options
  let current = new Map<string, number>()
  let previous = new Map<string, number>()
  let startedAtMs = nowMs()

  const turn = () => {
    const ageMs = nowMs() - startedAtMs
    if (ageMs >= 0 && ageMs < generationMs && current.size < keysMax) return
    previous = ageMs >= 0 && ageMs < 2 * generationMs ? current : new Map()
    current = new Map()
    startedAtMs = nowMs()
  }
  return {
    add: (key) => {
      turn()
      current.set(key, (current.get(key) ?? 0) + 1)
    },
    count: (key) => {
      turn()
      return (current.get(key) ?? 0) + (previous.get(key) ?? 0)
    },
    clear: (key) => {
      current.delete(key)
      previous.delete(key)
    },
    takeBack: (key) => {
      const counts = current.has(key) ? current : previous
      const count = counts.get(key) ?? 0
      if (count > 1) counts.set(key, count - 1)
      else counts.delete(key)
    },
    forgottenInMs: () => Math.max(0, startedAtMs + 2 * generationMs - nowMs()),
  }
}
