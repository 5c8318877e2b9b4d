/** By how long the last answers of a kind took, how long the next one is waited for before it counts as late. */
export type UsualLatency = Readonly<{
  heard(kind: string, tookMs: number): void
  lateAfterMs(kind: string): number
}>

const rememberedMax = 64
const fewest = 5
/** Nine of ten answers took less. A late one takes several times as long. */
const usualShare = 0.9
const lateFactor = 3
/** A pause of this process, or of a near node, is no reason. */
const lateMsMin = 500
/** While too few answers are known. */
const lateMsUnknown = 2_000

/** Kinds are few: the caller names them. */
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
