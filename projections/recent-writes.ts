/**
 * Tells whether rows of a table became known between two cuts. If there are none, a state in memory that was
 * computed from the table is still valid, so the rows that changed need no query.
 */
import { type EpochMs, minuteMs } from '../schemas/units.ts'
import type { StageCut } from './cuts.ts'
import type { AnyVersionTable } from './table.ts'

/**
 * For each table of a stage, the time at which the newest of its row versions became known. 0: it has none.
 * If a table is missing, this time is unknown.
 */
export type LastKnown = Readonly<Record<string, EpochMs>>

/**
 * The time, in ms between two cuts, after which the service looks again whether a rebuild replaced the tables of a
 * state. Until then, it may use the state without a query.
 */
export const unaskedMsMax = minuteMs

type Asked = Readonly<{ tables: readonly AnyVersionTable[]; askedAtMs: EpochMs; knownMs: EpochMs }>

/**
 * Returns true if no row version of these tables became known after `knownMs` and until the cut, as far as
 * the cut tells. `askedAtMs` is the knowledge time of the last cut at which the tables were queried.
 */
export const isUnchanged = ({ tables, askedAtMs, knownMs }: Asked, cut: StageCut): boolean =>
  cut.atMs - askedAtMs < unaskedMsMax && !tables.some((table) => hasNewRows(table, knownMs, cut))

/** Returns false if no row version of the table became known after `knownMs` and until the cut, as far as the cut tells. */
export const hasNewRows = (
  { name }: AnyVersionTable,
  knownMs: EpochMs,
  { lastKnown = {} }: Pick<StageCut, 'lastKnown'>,
): boolean => (lastKnown[name] ?? Number.POSITIVE_INFINITY) > knownMs

/** Returns the times of a stage from those of its partitions. A time is unknown if one partition lacks it. */
export function lastKnownOf(partitions: readonly Readonly<Record<string, string | number>>[]): LastKnown {
  const names = Object.keys(partitions[0] ?? {}).filter((name) => partitions.every((known) => name in known))
  return Object.fromEntries(names.map((name) => [name, Math.max(...partitions.map((known) => Number(known[name])))]))
}
