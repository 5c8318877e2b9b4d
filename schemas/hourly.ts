/** The rules that are the same for all hourly products. */
import { type DurationMs, hourMs } from './units.ts'

/**
 * The maximum age of an edition that is sold. The age is counted from the time up to which the edition covers
 * events.
 */
export const editionAgeMsMax: DurationMs = 3 * hourMs
