import { createHash } from 'node:crypto'

/** Of the draws for what this names: the same ones each time. */
export const seedOf = (name: string): number => createHash('sha1').update(name).digest().readUInt32BE(0)
