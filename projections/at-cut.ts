/**
 * SQL that selects the rows that the service knew at a given time. `known_at_ms` is the time at which the
 * service knew a row version. Queries for API answers use only this file and `rows-at-cut.ts`.
 */

import type { DurationMs, EpochMs } from '../schemas/units.ts'
import type { IdentifierColumn } from './identifier-column.ts'
import { type KeyCondition, keyFilters, leadingFilter, whole } from './key-conditions.ts'
import { restatements } from './restatements.ts'
import { type AnyTable, type AnyVersionTable, columnsOf } from './table.ts'
import { ticks } from './ticks.ts'
import { watermarkTable } from './watermarks.ts'

/**
 * Returns a subquery in brackets. It selects the last version of each row that was known at or before `atMs`,
 * without withdrawn rows. A version that was inserted twice appears only one time. `conditions` may name only
 * the leading column and columns of the natural key. Put other conditions outside the subquery, so that they
 * apply to the last version.
 */
export const atCut = <Of extends AnyVersionTable>(table: Of, atMs: EpochMs, conditions?: KeyConditions<Of>): string => {
  const order = table.order.filter((column) => column !== table.leading)
  return `(SELECT * EXCEPT (withdrawn) FROM ${lastVersions(table, { atMs, conditions, order })})`
}

/**
 * Returns the same as `atCut`. It takes less CPU time if the conditions select some thousand versions at most. ClickHouse
 * sorts them, which takes less time than reading many parts side by side in the order of the rows.
 */
export const fewAtCut = <Of extends AnyVersionTable>(table: Of, atMs: EpochMs, conditions: KeyConditions<Of>): string =>
  `(SELECT * EXCEPT (withdrawn) FROM ${fromFewAtCut(table, atMs, conditions)})`

/**
 * Returns the rows of `fewAtCut` as the text after FROM: a subquery and a WHERE. So the query has one subquery less, which
 * saves a tenth of its CPU time.
 */
export const fromFewAtCut = <Of extends AnyVersionTable>(
  table: Of,
  atMs: EpochMs,
  conditions: KeyConditions<Of>,
): string => lastVersions(table, { atMs, conditions, order: ['log_offset'] })

type KeyConditions<Of extends AnyVersionTable> = Readonly<
  Partial<Record<Of['naturalKey'][number] | NonNullable<Of['leading']>, KeyCondition>>
>

type Ordered = Readonly<{
  atMs: EpochMs
  conditions: Readonly<Record<string, KeyCondition | undefined>> | undefined
  order: readonly string[]
}>

function lastVersions(table: AnyVersionTable, { atMs, conditions = {}, order }: Ordered): string {
  const { [table.leading ?? '']: leading, ...others } = conditions
  // ClickHouse would read each column with a condition in a step of its own. In each part, a step takes longer than
  // reading all columns of the few rows that have the wanted value in the leading column.
  const prewhere = leading === undefined ? '' : `PREWHERE ${leadingFilter(String(table.leading), leading)} `
  return `(
      SELECT ${columnsOf(table).join(', ')} FROM ${table.name}
      ${prewhere}WHERE ${[...ofChain(table), `known_at_ms <= ${whole(atMs)}`, ...keyFilters(others)].join(' AND ')}
      ORDER BY ${order.map((column) => `${column} DESC`).join(', ')} LIMIT 1 BY ${table.naturalKey.join(', ')}
    ) WHERE withdrawn = 0`
}

/** The condition on the chain, if the table has one. The name of a chain comes from our code, so it is safe in the SQL text. */
export const ofChain = ({ chain }: AnyVersionTable): readonly string[] => (chain === null ? [] : [`chain = '${chain}'`])

const textsOf = (texts: readonly string[]): string => texts.map((text) => `'${text}'`).join(', ')

const tickColumns = Object.keys(ticks.columns).join(', ')

/** Returns SQL for the last tick of the topic that was known at or before `atMs`, if there is one. */
export const lastTickAt = (topic: string, atMs: EpochMs): string =>
  `SELECT ${tickColumns} FROM ${ticks.name} PREWHERE topic = '${topic}' AND known_at_ms <= ${whole(atMs)} AND withdrawn = 0
    ORDER BY known_at_ms DESC, tick_seq DESC LIMIT 1`

/**
 * Returns SQL for the last tick of each of the topics that was known at or before `atMs`, and not more than `withinMs`
 * earlier. ClickHouse reads all ticks of this time, so it must be short.
 */
export const lastTicksAt = (topics: readonly string[], atMs: EpochMs, withinMs: DurationMs): string =>
  `SELECT ${tickColumns} FROM ${ticks.name} PREWHERE topic IN (${textsOf(topics)}) AND known_at_ms <= ${whole(atMs)}
    AND known_at_ms > ${whole(atMs - withinMs)} AND withdrawn = 0
    ORDER BY known_at_ms DESC, tick_seq DESC LIMIT 1 BY topic`

/** Returns a subquery for the oldest tick of the topic that the table still contains. */
export const firstTick = (topic: string): string =>
  `(SELECT * FROM ${ticks.name} WHERE topic = '${topic}' ORDER BY known_at_ms, tick_seq LIMIT 1)`

/** Returns a subquery for the newest edition (a result computed every hour) that was known at `atMs`. */
export const editionAt = (table: AnyTable, atMs: EpochMs): string =>
  `(SELECT ${columnsOf(table).join(', ')} FROM ${table.name} WHERE known_at_ms <= ${whole(atMs)}
    ORDER BY known_at_ms DESC LIMIT 1)`

/** A subquery for the editions known in `[from, to]`. An edition inserted twice appears one time. */
export const editionsOf = (table: AnyTable, { from, to }: Readonly<{ from: number; to: number }>): string =>
  `(SELECT ${columnsOf(table).join(', ')} FROM ${table.name}
    WHERE known_at_ms BETWEEN ${whole(from)} AND ${whole(to)} ORDER BY known_at_ms LIMIT 1 BY known_at_ms)`

/**
 * Returns a subquery for one row with three values. They are the block time of the topic's oldest tick, the
 * newest block time of the ticks known at or before `atMs`, and the number of these ticks. `withinMs` is the
 * maximum age of these ticks at `atMs`.
 */
export const reachAt = (topic: string, atMs: EpochMs, withinMs?: DurationMs): string =>
  `(SELECT (SELECT block_at_ms FROM ${ticks.name} WHERE topic = '${topic}' ORDER BY known_at_ms, tick_seq LIMIT 1) AS firstBlockAtMs,
      max(block_at_ms) AS newestBlockAtMs, count() AS tickCount
    FROM ${ticks.name} WHERE topic = '${topic}' AND known_at_ms <= ${whole(atMs)}
    ${withinMs === undefined ? '' : `AND known_at_ms > ${whole(atMs - withinMs)}`})`

/** Returns a subquery for the ticks of the topic that were known at or after `fromMs`, oldest first. */
export const ticksSince = (topic: string, fromMs: EpochMs): string =>
  `(SELECT known_at_ms AS knownAtMs, block_at_ms AS blockAtMs FROM ${ticks.name}
    WHERE topic = '${topic}' AND known_at_ms >= ${whole(fromMs)} ORDER BY known_at_ms, tick_seq)`

/**
 * Returns a subquery for one row: the `known_at_ms` of the topic’s first tick with a block time later than
 * `atMs`, or 0. Only ticks known after `sinceMs` are searched.
 */
export const passedAt = (topic: string, { atMs, sinceMs }: Readonly<{ atMs: EpochMs; sinceMs: EpochMs }>): string =>
  `(SELECT min(known_at_ms) AS knownAtMs FROM ${ticks.name}
    WHERE topic = '${topic}' AND block_at_ms > ${whole(atMs)} AND known_at_ms > ${whole(sinceMs)})`

/**
 * Returns a subquery for one row: the newest `known_at_ms` in `(afterMs, toMs]` of a row version that is the
 * first to meet one of `criteria`, or 0. An example of a criterion is that a call has its return after one
 * hour. `conditions` select rows by their natural key.
 */
export function lastMetIn<Of extends AnyVersionTable>(
  table: Of,
  known: Readonly<{ afterMs: EpochMs; toMs: EpochMs }>,
  {
    conditions,
    criteria,
  }: Readonly<{
    conditions: Readonly<Partial<Record<Of['naturalKey'][number], KeyCondition>>>
    criteria: readonly string[]
  }>,
): string {
  const filters = keyFilters(conditions)
  const firsts = criteria.map((condition) => `minIf(known_at_ms, withdrawn = 0 AND ${condition})`)
  return `(SELECT max(firstAtMs) AS knownAtMs FROM (
      SELECT arrayJoin([${firsts.join(', ')}]) AS firstAtMs FROM ${table.name}
      WHERE ${[...ofChain(table), `known_at_ms <= ${whole(known.toMs)}`, ...filters].join(' AND ')} GROUP BY ${table.naturalKey.join(', ')}
    ) WHERE firstAtMs > ${whole(known.afterMs)})`
}

/** A span of times at which the service knew rows: later than `afterMs`, and not later than `toMs`. */
export type Known = Readonly<{ afterMs: EpochMs; toMs: EpochMs }>

const knownIn = ({ afterMs, toMs }: Known): string =>
  `known_at_ms > ${whole(afterMs)} AND known_at_ms <= ${whole(toMs)}`

const namesOf = (tables: readonly AnyTable[]): string => textsOf(tables.map(({ name }) => name))

type MarkedTables = Readonly<{ topic: string; tables: readonly AnyVersionTable[] }>

/**
 * A subquery for the newest `limit` marks of the topic in the span that name rows of these tables. A mark
 * names a row that a reorg changed.
 */
export const marksIn = ({ topic, tables }: MarkedTables, known: Known, limit: number): string =>
  `(SELECT ${columnsOf(restatements).join(', ')} FROM ${restatements.name}
    WHERE ${knownIn(known)} AND topic = '${topic}' AND table_name IN (${namesOf(tables)})
    ORDER BY known_at_ms DESC, topic DESC, log_partition DESC, log_offset DESC LIMIT ${whole(limit)})`

/** A subquery for one row: the `known_at_ms` up to which the table lacks the topic's marks, or 0. */
export const marksMissingUntil = (topic: string): string =>
  `(SELECT max(known_at_ms) AS knownAtMs FROM ${restatements.name} WHERE table_name = '' AND topic = '${topic}')`

/**
 * Returns a subquery for the versions of all rows that a reorg changed in the span. The table `restatements`
 * names these rows. Versions that became known after the span are left out.
 */
export function versionsMarked(table: AnyVersionTable, known: Known): string {
  const key = `Tuple(${table.naturalKey.map((column) => table.columns[column]?.type).join(', ')})`
  const keys = ['row_key', 'former_key'].map((column) => `JSONExtract(${column}, '${key}')`)
  return versionsWhere(
    table,
    known,
    `SELECT arrayJoin([${keys.join(', ')}]) FROM ${restatements.name} WHERE ${knownIn(known)} AND table_name = '${table.name}'`,
  )
}

/**
 * Returns a subquery for all versions of the rows that were revised in the span. Such a row has several
 * versions, and its newest version became known in the span. Versions that became known after the span are
 * left out.
 */
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
 * Returns SQL for one row per topic and partition whose records are in the tables: the `known_at_ms` up to which the
 * records are complete, `last_known` and `last_tick`. The `known_at_ms` rises with each tick of this version.
 */
export const completenessOf = (topics: readonly string[]): string =>
  `SELECT topic, max(known_at_ms) AS knownAtMs, argMax(last_known, seq) AS lastKnown, argMax(last_tick, seq) AS lastTick
    FROM ${watermarkTable}
    WHERE topic IN (${textsOf(topics)}) AND state = 'done' GROUP BY topic, log_partition`

/**
 * Returns SQL for the identifiers in each column of the row versions known in `(afterMs, toMs]`, including
 * withdrawals. `life` limits how long a row can be shown. Rows whose life ended by `aliveAtMs` are left out.
 * `part` is the index of the column. `atMs` is the newest start of the life of a row with the identifier, or
 * its `known_at_ms` without `life`.
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

/** SQL for one row: the UUIDs of the tables as one text. It changes when a rebuild replaces a table. */
export const identityOf = (tables: readonly AnyVersionTable[]): string =>
  `SELECT arrayStringConcat(arraySort(groupArray(toString(uuid)))) AS identity FROM system.tables
   WHERE database = currentDatabase() AND name IN (${namesOf(tables)})`
