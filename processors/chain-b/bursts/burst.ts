/** Decides whether the recent trades on a curve are a burst. */
import { forSaleRaw } from '../../../schemas/chain-b/curve.ts'
import type { ChainBNumbers } from '../../../schemas/chain-b/numbers.ts'
import type { DurationMs } from '../../../schemas/units.ts'
import type { TradeWindow } from './window.ts'

/**
 * The limits within which trades are a burst, all inclusive. The limits of the curve's fill are converted to
 * sold raw tokens, because whole numbers can be compared exactly.
 */
export type BurstLimits = Omit<ChainBNumbers['bursts'], 'fillBpsMin' | 'fillBpsMax'> &
  Readonly<{ soldRawMin: number; soldRawMax: number }>

const soldAt = (bps: number): number => Number((forSaleRaw * BigInt(bps)) / 10_000n)

export const burstLimitsOf = ({ fillBpsMin, fillBpsMax, ...rules }: ChainBNumbers['bursts']): BurstLimits => ({
  ...rules,
  soldRawMin: soldAt(fillBpsMin),
  soldRawMax: soldAt(fillBpsMax),
})

/** The curve at the end of a slot. */
export type SignalSlot = Readonly<{ ageMs: DurationMs; soldRaw: number }>

export function isBurst(window: TradeWindow, { ageMs, soldRaw }: SignalSlot, limits: BurstLimits): boolean {
  if (window.netLamports < limits.inflowLamportsMin) return false
  if (window.recentBuys === 0 || window.recentNetLamports <= 0) return false
  if (soldRaw < limits.soldRawMin || soldRaw > limits.soldRawMax) return false
  return ageMs >= limits.ageMsMin && ageMs <= limits.ageMsMax
}
