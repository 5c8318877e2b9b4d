/**
 * The chains that the tests of reorgs draw. `npm run reorgs -- choose stage` makes mistakes in a copy of the code, one at a time,
 * and tries seeds until some find each. These find every mistake that any of the first 40 seeds found, most of them more than
 * once; 19 of the mistakes were tried so far. Choose again when a promise, a mistake or the drawing of chains changes: a seed
 * then stands for another chain. `npm run reorgs -- 250` runs more of them.
 */
export const reorgSeeds: readonly number[] = [1, 4, 9, 13, 15, 19]

/** The branching chains and faulty nodes that ingest is tested with: the first ones. `npm run faults -- 250` runs more. */
export const faultSeeds: readonly number[] = [1, 2, 3, 4, 5]
