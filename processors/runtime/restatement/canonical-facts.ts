/**
 * Decides which facts and ticks are still valid after reorgs. The facts in the append of a reorg are those of the
 * new branch. In all earlier appends, the reorg invalidates the facts and ticks of the blocks from `revertedFrom` on.
 *
 *   facts      a10 · tick 10 · a11 a12 · tick 12 · b11 b12 · tick 12, revertedFrom 11 · b13 · tick 13
 *   canonical  a10 · tick 10                       b11 b12 · tick 12, revertedFrom 11 · b13 · tick 13
 */

import type { BlockNumber } from '../../../schemas/units.ts'

/** `fromOffset` is the first offset of the append with the reorg, right after the previous tick. */
export type Reorg = Readonly<{ revertedFrom: number; fromOffset: number }>

/**
 * Returns whether a fact or tick is valid after these reorgs. A reorg stays in force even if a later reorg
 * replaced the block of its own tick.
 */
export const isCanonical = (reorgs: readonly Reorg[], offset: number, blockNumber: BlockNumber): boolean =>
  !reorgs.some(({ revertedFrom, fromOffset }) => offset < fromOffset && blockNumber >= revertedFrom)
