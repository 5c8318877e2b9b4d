import { createHash } from 'node:crypto'

/** The seed of the draws for a name: the same name draws the same each time. */
export const seedOf = (name: string): number => createHash('sha1').update(name).digest().readUInt32BE(0)
