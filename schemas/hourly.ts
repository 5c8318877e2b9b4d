/** What all hourly products share. */

/** An edition that tells of an instant longer ago is not sold. */
export const editionAgeMsMax = 3 * 3_600_000
