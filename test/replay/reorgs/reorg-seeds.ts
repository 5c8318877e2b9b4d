/**
 * The seeds of the chains in the tests of reorgs.
 * `npm run reorgs -- choose stage` makes mistakes in a copy of the code, one at a time, and searches seeds that find each mistake.
 * These seeds find every mistake that any of the first 40 seeds found, most mistakes more than once. 19 mistakes have been tried so far.
 * Choose seeds again when a promise, a mistake or the drawing of chains changes, because a seed then gives another chain.
 * `npm run reorgs -- 250` runs more seeds.
 */
export const reorgSeeds: readonly number[] = [1, 4, 9, 13, 15, 19]

/** The seeds of the branching chains and faulty nodes in the tests of ingest. `npm run faults -- 250` runs more seeds. */
export const faultSeeds: readonly number[] = [1, 2, 3, 4, 5]
