/** The rule that is the same for all results that are computed every hour. */
import { type DurationMs, hourMs } from './units.ts'

/**
 * The maximum age of an edition (an hourly result) that is sold. The age is counted from the time up to which
 * the edition covers events.
 */
export const editionAgeMsMax: DurationMs = 3 * hourMs
