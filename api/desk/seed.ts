import { createHash } from 'node:crypto'

/** Returns the seed of the random draws for a lane or a book. The same name always gives the same seed. */
export const seedOf = (name: string): number => createHash('sha1').update(name).digest().readUInt32BE(0)
