import type { DurationMs, EpochMs } from '../schemas/units.ts'

/**
 * Determines when ingest must append a tick so that a cut gets its facts in time.
 * A fact belongs to the first cut at or after its knowledge time. Answers of this cut are possible once a later tick is
 * known. If no range brings a later tick in time, a tick without facts becomes due.
 */
export type OpenCut = Readonly<{
  /** Call this for each appended tick, with the number of facts that it closes. */
  appended(tick: Readonly<{ knownAtMs: EpochMs; factCount: number }>): void
  /** The time at which a tick is due. Null if no fact waits for one. */
  dueAtMs(): EpochMs | null
}>

/**
 * The time after a cut in which a range may still bring the tick. If blocks and cuts are at whole seconds, the range of
 * that second brings the tick within this time.
 */
const slackMs = 50

/** `gridMs` is the interval of cuts, which are at its multiples. */
export function createOpenCut(gridMs: DurationMs): OpenCut {
  let cutAtMs: EpochMs | null = null
  return {
    appended({ knownAtMs, factCount }) {
      if (cutAtMs !== null && knownAtMs > cutAtMs) cutAtMs = null
      if (cutAtMs === null && factCount > 0) cutAtMs = Math.ceil(knownAtMs / gridMs) * gridMs
    },
    dueAtMs: () => cutAtMs && cutAtMs + slackMs,
  }
}
