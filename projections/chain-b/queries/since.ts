import type { StageCut } from '../../cuts.ts'

/** The range `(cut.blockAtMs - durationMs, cut.blockAtMs]` of event time. */
export const since = (cut: Pick<StageCut, 'blockAtMs'>, durationMs: number) => ({
  from: Math.floor(cut.blockAtMs - durationMs) + 1,
  to: cut.blockAtMs,
})
