import type { CallStage } from '../../schemas/calls/derived.ts'

/** Returns the band of a fill (0-1). Each band includes its lower end. */
export function bandOf(fill: number): CallStage {
  if (fill < 0.25) return 'curve_0_25'
  return fill < 0.55 ? 'curve_25_55' : 'curve_55_100'
}
