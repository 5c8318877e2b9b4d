import type { EpochMs } from '../../schemas/units.ts'

/**
 * The minimum interval between two publications of a row that any block may change, in ms. The first change after this interval is
 * published at the end of its block, so on a chain with slow blocks no change waits for a later block. Changes within the interval
 * are published together when it has ended.
 *
 *   block time   0       4   7   10      12         17
 *   change       a       b   c           d
 *   published    a                    b+c (past 10)  d (past 7 + 10)
 */
const paceMs = 10_000

/**
 * Returns until when a change at `atMs` waits: it is published when block time is later than this instant. Null: it is published at
 * the end of its block. `publishedAtMs`: the time of the block of the newest published change.
 */
export const waitEndOf = (publishedAtMs: EpochMs, atMs: EpochMs): EpochMs | null =>
  atMs - publishedAtMs >= paceMs ? null : publishedAtMs + paceMs
