/** The rules that all hourly products share. */
import { type DurationMs, hourMs } from './units.ts'

/** The maximum age of a sold edition, counted from the instant that the edition describes. */
export const editionAgeMsMax: DurationMs = 3 * hourMs
