/** When the window of a curve is a burst. */
import { forSaleRaw } from '../../../schemas/chain-b/curve.ts'
import { lamportsPerSol } from '../../../schemas/chain-b/units.ts'
import type { TradeWindow } from './window.ts'

const minuteMs = 60_000
const percentOfSale = (percent: bigint): number => Number((forSaleRaw * percent) / 100n)

/** All limits are inclusive. Sold tokens are raw and whole: limits on the fill are compared exactly. */
export const burstLimits = {
  inflowLamportsMin: 10 * lamportsPerSol,
  ageMsMin: 5 * minuteMs,
  ageMsMax: 240 * minuteMs,
  soldRawMin: percentOfSale(25n),
  soldRawMax: percentOfSale(55n),
} as const

export type BurstLimits = Readonly<Record<keyof typeof burstLimits, number>>

/** The curve at the end of a slot. */
export type SignalSlot = Readonly<{ ageMs: number; soldRaw: number }>

export function isBurst(window: TradeWindow, { ageMs, soldRaw }: SignalSlot, limits: BurstLimits): boolean {
  if (window.netLamports < limits.inflowLamportsMin) return false
  if (window.recentBuys === 0 || window.recentNetLamports <= 0) return false
  if (soldRaw < limits.soldRawMin || soldRaw > limits.soldRawMax) return false
  return ageMs >= limits.ageMsMin && ageMs <= limits.ageMsMax
}
