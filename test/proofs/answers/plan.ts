import type { DayPlan } from './day.ts'
import { createEdges } from './edges.ts'

/** The mints at the bounds have their bursts after `edgesAfterMs`, and begin four hours earlier. */
type Wanted = Readonly<{ lengthMs: number; edgesAfterMs: number }>

const hourMs = 3_600_000
const fromMs = Date.UTC(2026, 8, 1)
const seed = 1

type Planned = Readonly<{ plan: DayPlan; cuts: readonly number[]; hourlyCuts: readonly number[] }>

/**
 * Ranges are short around the edges, so that cuts fall between a signal and its later values. Holders are answered at once, and in one
 * phase after some seconds. The first cut has few rows, and the last is at the end.
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
  // At the third cut, a burst is exactly a minute older than the newest slot.
  const cuts = [fromMs + 90_000, edgesAtMs + 45_000, edgesAtMs + 89_000, edgesAtMs + 1_260_000, toMs - 1000]
  // The first cut is a second before a rebuild, the second soon after one.
  const hourlyCuts = [fromMs + 4 * hourMs - 1000, edgesAtMs + 89_000, toMs - 1000]
  return { hourlyCuts, plan: { seed, fromMs, edges: createEdges(edgesAtMs), phases }, cuts }
}
