import assert from 'node:assert/strict'
import type { CallStage } from '../../schemas/calls/derived.ts'
import { type EpochMs, hourMs } from '../../schemas/units.ts'
import { bandOf } from '../markets/band.ts'
import type { Quote } from '../markets/prices.ts'

/**
 * Returns the `CallStage` of a token: the fill of its curve or the age of its pool, in ranges. Each range
 * includes its lower end.
 */
export function stageOf(
  { source, fill, openedAtMs }: Pick<Quote, 'source' | 'fill' | 'openedAtMs'>,
  atMs: EpochMs,
): CallStage {
  if (source === 'curve') {
    assert(fill !== null, 'the fill of the curve is not known')
    return bandOf(fill)
  }
  assert(openedAtMs !== null, 'the opening time of the pool is not known')
  const hours = (atMs - openedAtMs) / hourMs
  if (hours < 1) return 'pool_under_1h'
  if (hours < 6) return 'pool_1_6h'
  return hours < 24 ? 'pool_6_24h' : 'pool_over_24h'
}
