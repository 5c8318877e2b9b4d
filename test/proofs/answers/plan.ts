import type { DayPlan } from './day.ts'
import { createEdges } from './edges.ts'

/** `edgesAfterMs`: when the mints on the bounds of the rules have their bursts. Four hours before it they begin. */
type Wanted = Readonly<{ lengthMs: number; edgesAfterMs: number }>

const hourMs = 3_600_000
const fromMs = Date.UTC(2026, 8, 1)
const seed = 1

type Planned = Readonly<{ plan: DayPlan; cuts: readonly number[]; hourlyCuts: readonly number[] }>

/**
 * In small steps around the edges, where rows are seen between their signal and all that is filled in later; who holds a mint
 * is answered at once, and later on after some seconds. The first cut is quiet, the last at the end.
 */
export function planOf({ lengthMs, edgesAfterMs }: Wanted): Planned {
  const edgesAtMs = fromMs + edgesAfterMs
  const toMs = fromMs + lengthMs
  const phases = [
    { toMs: edgesAtMs - 60_000, rangeSec: 60, askAfterMs: 0 },
    { toMs: edgesAtMs + 50_000, rangeSec: 1, askAfterMs: 0 },
    { toMs: edgesAtMs + 300_000, rangeSec: 2, askAfterMs: 12_000 },
    { toMs, rangeSec: 60, askAfterMs: 0 },
  ]
  // At the third a burst is exactly a minute older than the newest slot.
  const cuts = [fromMs + 90_000, edgesAtMs + 45_000, edgesAtMs + 89_000, edgesAtMs + 1_260_000, toMs - 1000]
  // A second before the next rebuild, and soon after one.
  const hourlyCuts = [fromMs + 4 * hourMs - 1000, edgesAtMs + 89_000, toMs - 1000]
  return { hourlyCuts, plan: { seed, fromMs, edges: createEdges(edgesAtMs), phases }, cuts }
}
