import type { DurationMs } from '../../../schemas/units.ts'
import type { StageCut } from '../../cuts.ts'

/** The range `(cut.blockAtMs - durationMs, cut.blockAtMs]` of event time. */
export const since = (cut: Pick<StageCut, 'blockAtMs'>, durationMs: DurationMs) => ({
  from: Math.floor(cut.blockAtMs - durationMs) + 1,
  to: cut.blockAtMs,
})
