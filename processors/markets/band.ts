import type { CallStage } from '../../schemas/calls/derived.ts'

/** The band of a fill. Bands include their lower end. */
export function bandOf(fill: number): CallStage {
  if (fill < 0.25) return 'curve_0_25'
  return fill < 0.55 ? 'curve_25_55' : 'curve_55_100'
}
