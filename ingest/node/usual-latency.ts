/** Derives from recent answers of a kind how long to wait until the next one counts as late. */
export type UsualLatency = Readonly<{
  heard(kind: string, tookMs: number): void
  lateAfterMs(kind: string): number
}>

const rememberedMax = 64
const fewest = 5
/** Nine of ten answers took less than the usual time. A late one takes several times as long. */
const usualShare = 0.9
const lateFactor = 3
/** Pauses of this process, or of a nearby node, must not count as late. */
const lateMsMin = 500
/** Used until enough answers are known. */
const lateMsUnknown = 2_000

/** The caller names the kinds, so there are few. */
export function createUsualLatency(): UsualLatency {
  const latencies = new Map<string, number[]>()
  return {
    heard(kind, tookMs) {
      const taken = latencies.get(kind) ?? []
      taken.push(tookMs)
      if (taken.length > rememberedMax) taken.shift()
      latencies.set(kind, taken)
    },
    lateAfterMs(kind) {
      const taken = latencies.get(kind) ?? []
      if (taken.length < fewest) return lateMsUnknown
      const sorted = [...taken].sort((left, right) => left - right)
      return Math.max(lateMsMin, lateFactor * (sorted[Math.floor(usualShare * sorted.length)] ?? 0))
    },
  }
}
