/**
 * What of a stretch of facts still holds, given the reverts in it. A revert kills the blocks from `revertedFrom` on of all
 * that stands before its own append, facts and ticks alike; its own facts are the chain that took their place.
 *
 *   facts    a10 · tick 10 · a11 a12 · tick 12 · b11 b12 · tick 12, revertedFrom 11 · b13 · tick 13
 *   living   a10 · tick 10                       b11 b12 · tick 12, revertedFrom 11 · b13 · tick 13
 */

/** `fromOffset`: where the append that reverts begins, after the tick before it. */
export type Revert = Readonly<{ revertedFrom: number; fromOffset: number }>

/** Of a fact or tick of this block. A revert that another one killed has still killed what stood before it. */
export const isAlive = (reverts: readonly Revert[], offset: number, blockNumber: number): boolean =>
  !reverts.some(({ revertedFrom, fromOffset }) => offset < fromOffset && blockNumber >= revertedFrom)
