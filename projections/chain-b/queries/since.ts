import type { DurationMs } from '../../../schemas/units.ts'
import type { StageCut } from '../../cuts.ts'

/** Returns the range `(cut.blockAtMs - durationMs, cut.blockAtMs]` of event times. */
export const since = (cut: Pick<StageCut, 'blockAtMs'>, durationMs: DurationMs) => ({
  from: Math.floor(cut.blockAtMs - durationMs) + 1,
  to: cut.blockAtMs,
})
