/** The only code that names a base table to a query: what the tables said at an instant of knowledge. */

import assert from 'node:assert/strict'
import { type DurationMs, type EpochMs, hourMs } from '../schemas/units.ts'
import type { IdentifierColumn } from './identifier-column.ts'
import { restatements } from './restatements.ts'
import { type AnyTable, type AnyVersionTable, columnsOf, orderSql } from './table.ts'
import { ticks } from './ticks.ts'
import { watermarkTable } from './watermarks.ts'

/** What rows may be asked for inside the cut: parts of the natural key, which all versions of a row share. */
export type KeyCondition =
  /** Whole numbers, both ends included. */
  | Readonly<{ from: number; to: number }>
  /** SQL after the column's name, as `= {pool:String}` or `IN (SELECT …)`. */
  | Readonly<{ sql: string }>

/**
 * A subquery in brackets: the last version of each row known at or before the instant, without withdrawn rows, and once
 * where a row was inserted twice. Conditions on anything but the natural key stay outside: they judge the last version.
 */
export function atCut<Of extends AnyVersionTable>(
  table: Of,
  atMs: EpochMs,
  conditions?: Readonly<Partial<Record<Of['naturalKey'][number], KeyCondition>>>,
): string {
  const filters = Object.entries<KeyCondition | undefined>(conditions ?? {}).flatMap(([column, condition]) =>
    condition ? filtersOf(table, column, condition) : [],
  )
  return `(
    SELECT * EXCEPT (withdrawn) FROM (
      SELECT ${columnsOf(table).join(', ')} FROM ${table.name}
      WHERE ${[...ofChain(table), `known_at_ms <= ${whole(atMs)}`, ...filters].join(' AND ')}
      ORDER BY ${table.order.map((part) => `${orderSql(part)} DESC`).join(', ')} LIMIT 1 BY ${table.naturalKey.join(', ')}
    ) WHERE withdrawn = 0
  )`
}

/**
 * For a condition of `atCut` on `key`: its values in rows where the other column is as asked, inside a range of `key`. Of a
 * column that a row never changes: the version that withdraws a row does not hold it, but is selected with the others.
 */
export function keysWhere<Of extends AnyVersionTable>(
  table: Of,
  key: Of['naturalKey'][number],
  { range, ...asked }: Readonly<{ column: keyof Of['columns'] & string; sql: string; range: KeyCondition }>,
): KeyCondition {
  const conditions = [...ofChain(table), `${asked.column} ${asked.sql}`, ...filtersOf(table, key, range)]
  return { sql: `IN (SELECT DISTINCT ${key} FROM ${table.name} WHERE ${conditions.join(' AND ')})` }
}

/** A chain's name comes from our code and never from outside, so it may stand in the text of a query. */
const ofChain = ({ chain }: AnyVersionTable): readonly string[] => (chain === null ? [] : [`chain = '${chain}'`])

function filtersOf({ order }: AnyVersionTable, column: string, condition: KeyCondition): readonly string[] {
  if ('sql' in condition) return [`${column} ${condition.sql}`]
  const between = (value: string, everyMs: DurationMs) =>
    `${value} BETWEEN ${Math.floor(whole(condition.from) / everyMs)} AND ${Math.floor(whole(condition.to) / everyMs)}`
  // The engine does not see that a range of instants is also one of the hours that lead the table's order.
  const spans = order.filter((part) => typeof part === 'object').filter((part) => part.column === column)
  return [between(column, 1), ...spans.map((part) => between(orderSql(part), part.everyMs))]
}

/**
 * The last tick known at or before the instant, or no row. With `withinMs` it is at most so much older than the instant: a
 * near tick is found ten times as fast.
 */
export const lastTickAt = (topic: string, atMs: EpochMs, withinMs?: DurationMs): string =>
  `(SELECT * FROM ${ticks.name} WHERE topic = '${topic}' AND known_at_ms <= ${whole(atMs)} AND withdrawn = 0
    ${withinMs === undefined ? '' : `AND known_at_ms > ${whole(atMs - withinMs)}`}
    ORDER BY known_at_ms DESC, tick_seq DESC LIMIT 1)`

/** The first tick that is kept, or no row. */
export const firstTick = (topic: string): string =>
  `(SELECT * FROM ${ticks.name} WHERE topic = '${topic}' ORDER BY known_at_ms, tick_seq LIMIT 1)`

/** The edition of an hourly product that is in force at the instant, or no row. */
export const editionAt = (table: AnyTable, atMs: EpochMs): string =>
  `(SELECT ${columnsOf(table).join(', ')} FROM ${table.name} WHERE known_at_ms <= ${whole(atMs)}
    ORDER BY known_at_ms DESC LIMIT 1)`

/** The editions of `[from, to]`, each once. */
export const editionsOf = (table: AnyTable, { from, to }: Readonly<{ from: number; to: number }>): string =>
  `(SELECT ${columnsOf(table).join(', ')} FROM ${table.name}
    WHERE known_at_ms BETWEEN ${whole(from)} AND ${whole(to)} ORDER BY known_at_ms LIMIT 1 BY known_at_ms)`

/**
 * One row: the time of the first block of the topic, of the newest one known at or before the instant, and how many ticks say so. With
 * `withinMs` those that are at most so much older than the instant, as for `lastTickAt`.
 */
export const reachAt = (topic: string, atMs: EpochMs, withinMs?: DurationMs): string =>
  `(SELECT (SELECT block_at_ms FROM ${ticks.name} WHERE topic = '${topic}' ORDER BY known_at_ms, tick_seq LIMIT 1) AS firstBlockAtMs,
      max(block_at_ms) AS newestBlockAtMs, count() AS tickCount
    FROM ${ticks.name} WHERE topic = '${topic}' AND known_at_ms <= ${whole(atMs)}
    ${withinMs === undefined ? '' : `AND known_at_ms > ${whole(atMs - withinMs)}`})`

/** The ticks of the topic known at or after the instant, in their order. */
export const ticksSince = (topic: string, fromMs: EpochMs): string =>
  `(SELECT known_at_ms AS knownAtMs, block_at_ms AS blockAtMs FROM ${ticks.name}
    WHERE topic = '${topic}' AND known_at_ms >= ${whole(fromMs)} ORDER BY known_at_ms, tick_seq)`

/** One row: when the topic’s blocks had first passed the instant; 0: not yet. `sinceMs`: no tick known earlier has. */
export const passedAt = (topic: string, { atMs, sinceMs }: Readonly<{ atMs: EpochMs; sinceMs: EpochMs }>): string =>
  `(SELECT min(known_at_ms) AS knownAtMs FROM ${ticks.name}
    WHERE topic = '${topic}' AND block_at_ms > ${whole(atMs)} AND known_at_ms > ${whole(sinceMs)})`

/**
 * One row: when the last of what versions known in `(afterMs, toMs]` tell first became known; 0: they tell nothing new. `told`:
 * conditions on a version, each told of a row once.
 */
export function lastToldIn<Of extends AnyVersionTable>(
  table: Of,
  known: Readonly<{ afterMs: EpochMs; toMs: EpochMs }>,
  {
    conditions,
    told,
  }: Readonly<{
    conditions: Readonly<Partial<Record<Of['naturalKey'][number], KeyCondition>>>
    told: readonly string[]
  }>,
): string {
  const filters = Object.entries<KeyCondition | undefined>(conditions).flatMap(([column, condition]) =>
    condition ? filtersOf(table, column, condition) : [],
  )
  const firsts = told.map((condition) => `minIf(known_at_ms, withdrawn = 0 AND ${condition})`)
  return `(SELECT max(firstAtMs) AS knownAtMs FROM (
      SELECT arrayJoin([${firsts.join(', ')}]) AS firstAtMs FROM ${table.name}
      WHERE ${[...ofChain(table), `known_at_ms <= ${whole(known.toMs)}`, ...filters].join(' AND ')} GROUP BY ${table.naturalKey.join(', ')}
    ) WHERE firstAtMs > ${whole(known.afterMs)})`
}

type Judged = Readonly<{ silentMs: DurationMs; lateMs: DurationMs; priceAgeMs: DurationMs }>

/**
 * The ticks of the topic at which something begins or ends, and the first, in their order: a tick that was known later than the one
 * before by more than `silentMs`, whose block was known later by more than `lateMs`, whose coin price is older than `priceAgeMs` or
 * missing, or that has other rules. Blocks of event time `[fromMs, toMs)`, known by the instant.
 */
export const tickTurns = (
  topic: string,
  { fromMs, toMs, atMs }: Readonly<{ fromMs: EpochMs; toMs: EpochMs; atMs: EpochMs }>,
  { silentMs, lateMs, priceAgeMs }: Judged,
): string => {
  const flags = {
    isLate: `known_at_ms - block_at_ms > ${whole(lateMs)}`,
    isUnpriced: `ifNull(block_at_ms - eth_usd_at_ms > ${whole(priceAgeMs)}, 1)`,
    rulesVersion: 'toString(rules_version)',
  }
  const before = (sql: string) => `lagInFrame(${sql}) OVER inOrder`
  const turned = Object.keys(flags).map((name) => `${name} != former_${name}`)
  return `(SELECT blockAtMs, formerAtMs, knownAtMs, formerKnownAtMs, ${Object.keys(flags).join(', ')} FROM (
      SELECT block_at_ms AS blockAtMs, ${before('block_at_ms')} AS formerAtMs,
        known_at_ms AS knownAtMs, ${before('known_at_ms')} AS formerKnownAtMs,
        ${Object.entries(flags)
          .map(([name, sql]) => `${sql} AS ${name}, ${before(sql)} AS former_${name}`)
          .join(', ')}
      FROM ${ticks.name} WHERE topic = '${topic}' AND known_at_ms <= ${whole(atMs)} AND known_at_ms >= ${whole(fromMs)}
        AND block_at_ms >= ${whole(fromMs)} AND block_at_ms < ${whole(toMs)}
      WINDOW inOrder AS (ORDER BY known_at_ms, tick_seq ROWS BETWEEN 1 PRECEDING AND CURRENT ROW)
    ) WHERE formerAtMs = 0 OR knownAtMs - formerKnownAtMs > ${whole(silentMs)} OR ${turned.join(' OR ')}
    ORDER BY knownAtMs, blockAtMs)`
}

/** By hour: its ticks, and their first and last block. The same ticks as `tickTurns`. */
export const tickHours = (
  topic: string,
  { fromMs, toMs, atMs }: Readonly<{ fromMs: EpochMs; toMs: EpochMs; atMs: EpochMs }>,
): string =>
  `(SELECT intDiv(block_at_ms, ${hourMs}) * ${hourMs} AS hourAtMs, count() AS tickCount, min(block_number) AS firstBlock,
      max(block_number) AS lastBlock
    FROM ${ticks.name} WHERE topic = '${topic}' AND known_at_ms <= ${whole(atMs)} AND known_at_ms >= ${whole(fromMs)}
      AND block_at_ms >= ${whole(fromMs)} AND block_at_ms < ${whole(toMs)} GROUP BY hourAtMs ORDER BY hourAtMs)`

/** A span of knowledge time: later than `afterMs`, and not later than `toMs`. */
export type Known = Readonly<{ afterMs: EpochMs; toMs: EpochMs }>

const knownIn = ({ afterMs, toMs }: Known): string =>
  `known_at_ms > ${whole(afterMs)} AND known_at_ms <= ${whole(toMs)}`

const namesOf = (tables: readonly AnyTable[]): string => tables.map(({ name }) => `'${name}'`).join(', ')

type MarkedTables = Readonly<{ topic: string; tables: readonly AnyVersionTable[] }>

/** The newest marks of reorgs that the topic has on rows of these tables. */
export const marksIn = ({ topic, tables }: MarkedTables, known: Known, limit: number): string =>
  `(SELECT ${columnsOf(restatements).join(', ')} FROM ${restatements.name}
    WHERE ${knownIn(known)} AND topic = '${topic}' AND table_name IN (${namesOf(tables)})
    ORDER BY known_at_ms DESC, topic DESC, log_partition DESC, log_offset DESC LIMIT ${whole(limit)})`

/** One row: up to when marks of the topic are not kept; 0: all are. */
export const marksMissingUntil = (topic: string): string =>
  `(SELECT max(known_at_ms) AS knownAtMs FROM ${restatements.name} WHERE table_name = '' AND topic = '${topic}')`

/** All versions, known by the end, of the rows that marks of that time name. */
export function versionsMarked(table: AnyVersionTable, known: Known): string {
  const key = `Tuple(${table.naturalKey.map((column) => table.columns[column]?.type).join(', ')})`
  const keys = ['row_key', 'former_key'].map((column) => `JSONExtract(${column}, '${key}')`)
  return versionsWhere(
    table,
    known,
    `SELECT arrayJoin([${keys.join(', ')}]) FROM ${restatements.name} WHERE ${knownIn(known)} AND table_name = '${table.name}'`,
  )
}

/** All versions, known by the end, of the rows that have several, the newest of them known in that time. */
export const versionsRevised = (table: AnyVersionTable, known: Known): string =>
  versionsWhere(
    table,
    known,
    `SELECT ${table.naturalKey.join(', ')} FROM ${table.name}
      WHERE ${[...ofChain(table), `known_at_ms <= ${whole(known.toMs)}`].join(' AND ')}
      GROUP BY ${table.naturalKey.join(', ')} HAVING count() > 1 AND max(known_at_ms) > ${whole(known.afterMs)}`,
  )

const versionsWhere = (table: AnyVersionTable, { toMs }: Known, keysSql: string): string =>
  `(SELECT ${columnsOf(table).join(', ')} FROM ${table.name}
    WHERE ${[...ofChain(table), `known_at_ms <= ${whole(toMs)}`].join(' AND ')}
      AND (${table.naturalKey.join(', ')}) IN (${keysSql}))`

/**
 * One row: how many partitions of the topic have been written, and the knowledge time that all of those have reached.
 * Later ticks may still carry that very instant; only what is before it is complete.
 */
export const completeness = (topic: string): string =>
  `(SELECT count() AS partitionCount, min(known) AS knownAtMs FROM (
    SELECT max(known_at_ms) AS known FROM ${watermarkTable}
    WHERE topic = '${topic}' AND state = 'done' GROUP BY log_partition))`

/**
 * What the versions known in `(afterMs, toMs]` name in each column, withdrawn ones too, and the newest instant from which each
 * can be shown. Of rows with a life, those that can be shown at `aliveAtMs` or later. `part`: the column's place in the list.
 */
export const identifiersKnown = (
  columns: readonly IdentifierColumn[],
  known: Readonly<{ afterMs: EpochMs | null; toMs: EpochMs; aliveAtMs: EpochMs }>,
): string => columns.map((column, part) => identifiersOf(column, part, known)).join('\nUNION ALL\n')

function identifiersOf(
  { table, column, life }: IdentifierColumn,
  part: number,
  { afterMs, toMs, aliveAtMs }: Parameters<typeof identifiersKnown>[1],
): string {
  const conditions = [...ofChain(table), `known_at_ms <= ${whole(toMs)}`]
  if (afterMs !== null) conditions.push(`known_at_ms > ${whole(afterMs)}`)
  if (life !== null) conditions.push(`${life.fromColumn} > ${whole(aliveAtMs - life.ms)}`)
  return `SELECT ${part} AS part, ${column} AS identifier, max(${life?.fromColumn ?? 'known_at_ms'}) AS atMs
    FROM ${table.name} WHERE ${conditions.join(' AND ')} GROUP BY identifier`
}

/** One row. Differs once one of the tables was exchanged for another. */
export const identityOf = (tables: readonly AnyVersionTable[]): string =>
  `SELECT arrayStringConcat(arraySort(groupArray(toString(uuid)))) AS identity FROM system.tables
   WHERE database = currentDatabase() AND name IN (${tables.map(({ name }) => `'${name}'`).join(', ')})`

/** Instants are ours, never foreign text; literals, because the embedded engine runs parametrised queries one at a time. */
function whole(value: number): number {
  assert(Number.isSafeInteger(value), `${value} is no whole number`)
  return value
}
