/**
 * How long the buyers of a burst are remembered. A buyer of a later burst within this time counts as a repeat
 * buyer.
 */
import { type DurationMs, dayMs } from './units.ts'

export const buyerMemoryMs: DurationMs = 30 * dayMs
