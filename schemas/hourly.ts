/** What all hourly products share. */
import { hourMs } from './units.ts'

/** An edition that tells of an instant longer ago is not sold. */
export const editionAgeMsMax = 3 * hourMs
