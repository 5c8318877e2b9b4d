import type { EpochMs } from '../../schemas/units.ts'

/**
 * The minimum interval between two publications of a row that any block may change, in ms. A change after this
 * interval is published at the end of its block. Changes within the interval are published together, with the
 * first block after the end of the interval.
 *
 *   block time   0       4   7   10      12         17
 *   change       a       b   c           d
 *   published    a                    b+c (past 10)  d (past 7 + 10)
 */
const paceMs = 10_000

/**
 * Returns the time until which a change at `atMs` waits. The change is published with the first block after
 * this time. Returns null if it is published at the end of its own block. `publishedAtMs` is the block time
 * of the newest published change.
 */
export const waitEndOf = (publishedAtMs: EpochMs, atMs: EpochMs): EpochMs | null =>
  atMs - publishedAtMs >= paceMs ? null : publishedAtMs + paceMs
