import type { DayPlan } from './day.ts'
import { createEdges } from './edges.ts'

/**
 * The mints at the bounds of the rules have their bursts after `edgesAfterMs`. Their histories begin four
 * hours earlier.
 */
type Wanted = Readonly<{ lengthMs: number; edgesAfterMs: number }>

const hourMs = 3_600_000
const fromMs = Date.UTC(2026, 8, 1)
const seed = 1

type Planned = Readonly<{ plan: DayPlan; cuts: readonly number[]; hourlyCuts: readonly number[] }>

/**
 * Ingest reads short ranges around the mints at the bounds of the rules, so that some cut times are between a
 * signal and its later values. Holders are looked up at once, and in one phase after 12 s. The first cut time
 * has few rows, and the last is at the end.
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
  // At the third cut time, a burst is exactly one minute older than the newest slot.
  const cuts = [fromMs + 90_000, edgesAtMs + 45_000, edgesAtMs + 89_000, edgesAtMs + 1_260_000, toMs - 1000]
  // The first cut is 1 s before a rebuild of the hourly lists. The second cut is soon after a rebuild.
  const hourlyCuts = [fromMs + 4 * hourMs - 1000, edgesAtMs + 89_000, toMs - 1000]
  return { hourlyCuts, plan: { seed, fromMs, edges: createEdges(edgesAtMs), phases }, cuts }
}
