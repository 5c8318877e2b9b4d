/** How long the buyer of a burst is remembered: 30 days before the signal of a later one. */
import { type DurationMs, dayMs } from './units.ts'

export const buyerMemoryMs: DurationMs = 30 * dayMs
