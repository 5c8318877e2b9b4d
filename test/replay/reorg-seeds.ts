/** The chains that the tests of reorgs draw. */
export const reorgSeeds: readonly number[] = [1, 2, 3, 4, 5, 6]
