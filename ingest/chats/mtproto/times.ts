import type { DurationMs } from '../../../schemas/units.ts'
import { emptyRangeEveryMs } from '../empty-ranges.ts'

export type Times = Readonly<{
  /** The interval between requests about a channel without pushes. These requests find changes whose push was lost. */
  pollMs: DurationMs
  /** The minimum time between two requests about one channel. */
  againMs: DurationMs
  /** The time after which a refused channel is tried again. */
  refusedMs: DurationMs
  /** The pause after a failure. */
  pauseMs: DurationMs
  /** The time limit of one call. */
  callMs: DurationMs
  emptyRangeEveryMs: DurationMs
  lostAfterMs: DurationMs
}>

export const timesDefault: Times = {
  ...{ pollMs: 60_000, againMs: 500, refusedMs: 600_000, pauseMs: 2_000, callMs: 20_000 },
  ...{ emptyRangeEveryMs: emptyRangeEveryMs, lostAfterMs: 60_000 },
}
