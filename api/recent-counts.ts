/** Recent counts by key. The memory is limited. No timers are used. */
export type RecentCounts = Readonly<{
  add: (key: string) => void
  count: (key: string) => number
  clear: (key: string) => void
  /** Subtracts one from the count of a key, in the newest period that contains the key. */
  takeBack: (key: string) => void
  /** Returns the number of milliseconds until all present counts have expired. */
  forgottenInMs: () => number
}>

/**
 * The time is divided into generations of `generationMs`. Each count is remembered for one to two
 * generations. A generation ends earlier when it has `keysMax` keys.
 */
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
