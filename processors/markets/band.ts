import type { CallStage } from '../../schemas/calls/derived.ts'

/**
 * Returns the band for the fill of a curve (the sold share of its tokens, 0 to 1). Each band includes its
 * lower end.
 */
export function bandOf(fill: number): CallStage {
  if (fill < 0.25) return 'curve_0_25'
  return fill < 0.55 ? 'curve_25_55' : 'curve_55_100'
}
