/** The buyers of a burst count as repeat buyers in later bursts whose signal comes at most this long after. */
import { type DurationMs, dayMs } from './units.ts'

export const buyerMemoryMs: DurationMs = 30 * dayMs
