import type { CallStage } from '../../schemas/calls/derived.ts'
import { type EpochMs, hourMs } from '../../schemas/units.ts'
import { bandOf } from '../markets/band.ts'
import type { Quote } from '../markets/prices.ts'

/** Returns the `CallStage` of a token. A range of ages or fills includes its lower end. Null: the fill or age is not known. */
export function stageOf(
  { source, fill, openedAtMs }: Pick<Quote, 'source' | 'fill' | 'openedAtMs'>,
  atMs: EpochMs,
): CallStage | null {
  if (source === 'curve') return fill === null ? null : bandOf(fill)
  if (openedAtMs === null) return null
  const hours = (atMs - openedAtMs) / hourMs
  if (hours < 1) return 'pool_under_1h'
  if (hours < 6) return 'pool_1_6h'
  return hours < 24 ? 'pool_6_24h' : 'pool_over_24h'
}
