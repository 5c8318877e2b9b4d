/** Recent counts by key, in bounded memory and without timers. */
export type RecentCounts = Readonly<{
  add: (key: string) => void
  count: (key: string) => number
  clear: (key: string) => void
  /** Subtracts one, from the newest generation that has the key. */
  takeBack: (key: string) => void
  /** Milliseconds until all present counts have expired. */
  forgottenInMs: () => number
}>

/** A count is kept for one to two generations. With more than `keysMax` keys it is kept for a shorter time. */
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
