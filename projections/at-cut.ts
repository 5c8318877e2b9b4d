/** The only code that names a base table to a query: what the tables said at an instant of knowledge. */
import assert from 'node:assert/strict'
import { columnsOf, type NaturalKey, type VersionTable, versionTables, watermarkTable } from './tables.ts'

/** What rows may be asked for inside the cut: parts of the natural key, which all versions of a row share. */
export type KeyCondition =
  /** Whole numbers, both ends included. */
  | Readonly<{ from: number; to: number }>
  /** SQL after the column's name, as `= {pool:String}` or `IN (SELECT …)`. */
  | Readonly<{ sql: string }>

/**
 * A subquery in brackets: the last version of each row known at or before the instant, withdrawn rows left out, a row
 * inserted twice once. Conditions on anything but the natural key stay outside, where the last version has been chosen.
 */
export function atCut<Table extends VersionTable>(
  table: Table,
  atMs: number,
  conditions?: Readonly<Partial<Record<NaturalKey<Table>, KeyCondition>>>,
): string {
  const { naturalKey, order } = versionTables[table]
  const filters = Object.entries<KeyCondition | undefined>(conditions ?? {}).flatMap(([column, condition]) =>
    condition ? filtersOf(table, column, condition) : [],
  )
  return `(
    SELECT * EXCEPT (withdrawn) FROM (
      SELECT ${columnsOf(table).join(', ')} FROM ${table}
      WHERE ${[`known_at_ms <= ${whole(atMs)}`, ...filters].join(' AND ')}
      ORDER BY ${[...order, 'log_offset'].map((column) => `${column} DESC`).join(', ')} LIMIT 1 BY ${naturalKey.join(', ')}
    ) WHERE withdrawn = 0
  )`
}

function filtersOf(table: VersionTable, column: string, condition: KeyCondition): readonly string[] {
  if ('sql' in condition) return [`${column} ${condition.sql}`]
  const { from, to } = condition
  const range = `${column} BETWEEN ${whole(from)} AND ${whole(to)}`
  // The table's key begins with the hour, and the engine does not see that a range of minutes is one of hours.
  return table === 'pool_minutes' && column === 'minute_at_ms'
    ? [range, `intDiv(minute_at_ms, 3600000) BETWEEN ${Math.floor(from / hourMs)} AND ${Math.floor(to / hourMs)}`]
    : [range]
}

const hourMs = 3_600_000

/**
 * The last tick known at or before the instant, one row or none; `sinceMs` before it at most, where that is given: one that
 * is near is found ten times as fast.
 */
export const lastTickAt = (topic: string, atMs: number, sinceMs?: number): string =>
  `(SELECT * FROM ticks WHERE topic = '${topic}' AND known_at_ms <= ${whole(atMs)} AND withdrawn = 0
    ${sinceMs === undefined ? '' : `AND known_at_ms > ${whole(atMs - sinceMs)}`}
    ORDER BY known_at_ms DESC, tick_seq DESC LIMIT 1)`

/**
 * One row: how many partitions of the topic have been written, and the knowledge time that all of those have reached.
 * Later ticks may still carry that very instant; only what is before it is complete.
 */
export const completeness = (topic: string): string =>
  `(SELECT count() AS partitionCount, min(known) AS knownAtMs FROM (
    SELECT max(known_at_ms) AS known FROM ${watermarkTable}
    WHERE topic = '${topic}' AND state = 'done' GROUP BY log_partition))`

/** Instants are ours, never foreign text; literals, because the embedded engine runs parametrised queries one at a time. */
function whole(value: number): string {
  assert(Number.isSafeInteger(value), `${value} is no whole number`)
  return String(value)
}
