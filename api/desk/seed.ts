import { createHash } from 'node:crypto'

/**
 * Returns the seed of the random draws in the statistics of a lane (trading strategy) or a book (account).
 * The same name always gives the same seed.
 */
export const seedOf = (name: string): number => createHash('sha1').update(name).digest().readUInt32BE(0)
