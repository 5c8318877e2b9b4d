/** A made-up price of a chain's coin. */

import type { CoinPrice } from '../../schemas/tick.ts'
import { dayMs, type EpochMs } from '../../schemas/units.ts'
import { mix } from './random.ts'

const feedMs = 10_000
const waves = [
  { periodMs: 7 * dayMs, share: 0.06 },
  { periodMs: dayMs, share: 0.025 },
  { periodMs: dayMs / 9, share: 0.006 },
  { periodMs: dayMs / 150, share: 0.0012 },
] as const

/**
 * Computes the coin price as a sum of waves of several lengths around `aroundUsd`. The price depends only on
 * the seed and the time, and changes every ten seconds. The curve is smooth, so that nobody takes it for the
 * price of a real market.
 */
export function simulatedPrice(
  { seed, aroundUsd }: Readonly<{ seed: number; aroundUsd: number }>,
  nowMs: EpochMs,
): CoinPrice {
  const atMs = Math.floor(nowMs / feedMs) * feedMs
  const swing = waves.reduce((sum, { periodMs, share }, index) => {
    const phase = (mix(seed, index, 9) / 2 ** 32 + atMs / periodMs) * 2 * Math.PI
    return sum + share * Math.sin(phase)
  }, 0)
  return { usd: Math.round(aroundUsd * (1 + swing) * 100) / 100, atMs }
}
