/** How long the buyers of a burst are remembered: they count as repeat buyers of bursts whose signal comes at most 30 days later. */
import { type DurationMs, dayMs } from './units.ts'

export const buyerMemoryMs: DurationMs = 30 * dayMs
