/**
 * Decides which facts and ticks are still valid after reorgs. The facts of a reorg's own append are the new branch. In all
 * earlier appends, the reorg invalidates the facts and ticks of the blocks from `revertedFrom` on.
 *
 *   facts      a10 · tick 10 · a11 a12 · tick 12 · b11 b12 · tick 12, revertedFrom 11 · b13 · tick 13
 *   canonical  a10 · tick 10                       b11 b12 · tick 12, revertedFrom 11 · b13 · tick 13
 */

import type { BlockNumber } from '../../../schemas/units.ts'

/** `fromOffset` is the start of the reorg's append, right after the previous tick. */
export type Reorg = Readonly<{ revertedFrom: number; fromOffset: number }>

/** Returns whether a fact or tick is valid. A reorg counts even if a later reorg replaced the block of its tick. */
export const isCanonical = (reorgs: readonly Reorg[], offset: number, blockNumber: BlockNumber): boolean =>
  !reorgs.some(({ revertedFrom, fromOffset }) => offset < fromOffset && blockNumber >= revertedFrom)
