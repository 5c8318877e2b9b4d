import type { DurationMs, EpochMs } from '../schemas/units.ts'

/**
 * Determines when ingest must append a tick so that the facts of a cut can be served in time. A fact belongs to the first cut at or after
 * its knowledge time. Answers at this cut are possible only when the log has a tick after the cut. If no range brings such a tick in time,
 * ingest must append a tick without facts.
 */
export type OpenCut = Readonly<{
  /** Call this for each appended tick, with the number of facts that it closes. */
  appended(tick: Readonly<{ knownAtMs: EpochMs; factCount: number }>): void
  /** The time at which a tick is due. Null if no fact waits for a tick. */
  dueAtMs(): EpochMs | null
}>

/**
 * How long ingest waits after a cut for the tick of a range. If blocks and cuts are at whole seconds, the next block's range usually comes
 * within this time.
 */
const slackMs = 50

/** The cuts are at the multiples of `gridMs`. */
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
