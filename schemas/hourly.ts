/** Shared by all hourly products. */
import { type DurationMs, hourMs } from './units.ts'

/** An edition about an older instant than this is not sold. */
export const editionAgeMsMax: DurationMs = 3 * hourMs
