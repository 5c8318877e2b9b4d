/** Limits cuts to the replay clock, because the tables hold the whole range. */
import type { Cuts } from '../../projections/cuts.ts'

export const cutsUntil = (cuts: Cuts, { nowMs, gridMs }: Readonly<{ nowMs: () => number; gridMs: number }>): Cuts => ({
  async newest(stages) {
    const newest = await cuts.newest(stages)
    if (newest === null) return null
    const atMs = Math.floor(nowMs() / gridMs) * gridMs
    return newest.atMs <= atMs ? newest : cuts.at(atMs, stages)
  },
  at: async (atMs, stages) => (atMs > nowMs() ? null : cuts.at(atMs, stages)),
  oldestAtMs: (stages) => cuts.oldestAtMs(stages),
})
