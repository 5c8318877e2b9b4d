/**
 * Which facts and ticks are still valid after reorgs. A reorg invalidates the blocks from `revertedFrom` on in everything
 * before its own append. The facts of its append are the new branch.
 *
 *   facts    a10 · tick 10 · a11 a12 · tick 12 · b11 b12 · tick 12, revertedFrom 11 · b13 · tick 13
 *   living   a10 · tick 10                       b11 b12 · tick 12, revertedFrom 11 · b13 · tick 13
 */

import type { BlockNumber } from '../../../schemas/units.ts'

/** `fromOffset` is where the append of the reorg begins, right after the previous tick. */
export type Reorg = Readonly<{ revertedFrom: number; fromOffset: number }>

/** Whether a fact or tick of this block is valid. A reorg counts even if a later reorg invalidated its own tick. */
export const isAlive = (reorgs: readonly Reorg[], offset: number, blockNumber: BlockNumber): boolean =>
  !reorgs.some(({ revertedFrom, fromOffset }) => offset < fromOffset && blockNumber >= revertedFrom)
