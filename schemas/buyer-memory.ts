/** The time for which the buyers of a burst are remembered: 30 days, until the signal of a later burst. */
import { type DurationMs, dayMs } from './units.ts'

export const buyerMemoryMs: DurationMs = 30 * dayMs
