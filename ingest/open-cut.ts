/**
 * Facts are in the first cut at or after the instant at which they became known, and that cut can be asked once a later tick
 * is known. Where no range brings one in time, a tick is due for that alone.
 */
export type OpenCut = Readonly<{
  /** Call for each tick that was appended, with the number of facts that it closes. */
  appended(tick: Readonly<{ knownAtMs: number; factCount: number }>): void
  /** When a tick is due. Null: no fact waits for one. */
  dueAtMs(): number | null
}>

/** The range that comes with the instant, as where blocks and cuts have whole seconds, brings the tick about now. */
const slackMs = 50

/** `gridMs`: cuts stand on its multiples. */
export function createOpenCut(gridMs: number): OpenCut {
  let cutAtMs: number | null = null
  return {
    appended({ knownAtMs, factCount }) {
      if (cutAtMs !== null && knownAtMs > cutAtMs) cutAtMs = null
      if (cutAtMs === null && factCount > 0) cutAtMs = Math.ceil(knownAtMs / gridMs) * gridMs
    },
    dueAtMs: () => cutAtMs && cutAtMs + slackMs,
  }
}
