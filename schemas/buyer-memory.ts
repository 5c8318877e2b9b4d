/**
 * How long the buyers of a burst are remembered. If a wallet also buys in a later burst within this time, it
 * counts as a repeat buyer.
 */
import { type DurationMs, dayMs } from './units.ts'

export const buyerMemoryMs: DurationMs = 30 * dayMs
