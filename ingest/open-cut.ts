import type { DurationMs, EpochMs } from '../schemas/units.ts'

/**
 * A fact belongs to the first cut at or after its knowledge time, and that cut can be asked for once a later tick is
 * known. If no range brings a later tick in time, one becomes due just for that.
 */
export type OpenCut = Readonly<{
  /** Call this for each appended tick, with the number of facts that it closes. */
  appended(tick: Readonly<{ knownAtMs: EpochMs; factCount: number }>): void
  /** When a tick is due. Null if no fact waits for one. */
  dueAtMs(): EpochMs | null
}>

/** Where blocks and cuts share whole seconds, the range of that second brings the tick within this time. */
const slackMs = 50

/** `gridMs`: the distance of cuts, which lie on its multiples. */
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
