import type { EpochMs } from '../../schemas/units.ts'

/**
 * Paces rows that any block may change. The first change after a pause is published at the end of its block, so on a chain with
 * slow blocks no change waits for a later block. Changes within the next ten seconds are published together.
 *
 *   block time   0       4   7   10      12         17
 *   change       a       b   c           d
 *   published    a                    b+c (past 10)  d (past 7 + 10)
 */
const paceMs = 10_000

/**
 * Until when a change at `atMs` waits: it is published once block time has passed this instant. Null: it is published at the end of
 * its block. `publishedAtMs`: time of the block of the newest published change.
 */
export const waitEndOf = (publishedAtMs: EpochMs, atMs: EpochMs): EpochMs | null =>
  atMs - publishedAtMs >= paceMs ? null : publishedAtMs + paceMs
