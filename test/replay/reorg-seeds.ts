/**
 * The chains that the tests of reorgs draw. `npm run reorgs -- choose` makes mistakes in a copy of the code, one at a time, and
 * tries seeds until some find each; these few together find every mistake that any of the first 250 does. Choose again when
 * a promise, a mistake or the drawing of chains changes: a seed then stands for another chain.
 */
export const reorgSeeds: readonly number[] = [1, 2, 3, 4, 5, 6]

/** The branching chains and faulty nodes that ingest is tested with, chosen alike. */
export const faultSeeds: readonly number[] = [1, 2, 3, 4, 5]
