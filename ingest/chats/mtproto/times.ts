import type { DurationMs } from '../../../schemas/units.ts'
import { emptyRangeEveryMs } from '../empty-ranges.ts'

export type Times = Readonly<{
  /**
   * The interval between two reads of a channel about which the platform sends no pushes. These reads find
   * changes whose push was lost.
   */
  pollMs: DurationMs
  /** The minimum time between two calls for the same channel. */
  againMs: DurationMs
  /** The time after which the reader tries again to read a refused channel. */
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
