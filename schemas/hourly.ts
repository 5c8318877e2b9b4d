/** Shared by all hourly products. */
import { hourMs } from './units.ts'

/** An edition about an older instant than this is not sold. */
export const editionAgeMsMax = 3 * hourMs
