/**
 * Selects the rows of many tables about one subject (a token, a mint or a pool) with one query. Most of the CPU
 * time of an answer is the time in which ClickHouse plans its queries.
 */
import assert from 'node:assert/strict'
import type { Database } from '../infra/clickhouse/database.ts'
import type { TopicName } from '../schemas/topics.ts'
import type { EpochMs } from '../schemas/units.ts'
import { joinQuestions, oneOf } from './join-questions.ts'
import { whole } from './key-conditions.ts'
import { type RowAtCut, type RowsAt, selectRowsAt } from './rows-at-cut.ts'
import { camelCase, rowOf } from './select.ts'
import { subjectRows } from './subject-rows.ts'
import type { AnyVersionTable, SubjectKind } from './table.ts'

/** The range of the time in the natural key. Both ends are included. Null: rows of all times. */
type Span = Readonly<{ from: number; to: number }> | null

export type SubjectQuestion = Readonly<{
  /** The derived topic whose records are the rows. */
  topic: TopicName
  kind: SubjectKind
  /** May come from outside. */
  subjects: readonly string[]
  /** The knowledge time of the cut. */
  atMs: EpochMs
  tables: readonly (readonly [AnyVersionTable, Span])[]
}>

export type SubjectRows = Readonly<{
  /**
   * Returns the rows of one of the tables in the question, as `selectRowsAt` would return them. The rows have
   * no order.
   */
  of<Of extends AnyVersionTable>(table: Of, limit?: number): Promise<RowsAt<Of>>
}>

/**
 * The maximum number of rows of a subject that one query returns. Anyone can create many pools of a token for the price
 * of gas. If there are more rows, each table is queried on its own, with the limit of the caller.
 */
const rowsMax = 2000

/** The maximum number of rows of all subjects that one query returns. If there are more, each subject gets a query. */
const joinedRowsMax = 4 * rowsMax

type Kind = Omit<SubjectQuestion, 'subjects'>

/** Returns the rows of one subject, or more than `rowsMax` rows if there are more. */
const foundOf = joinQuestions<Kind, readonly Found[]>({
  kindOf: ({ topic, kind, atMs, tables }) =>
    JSON.stringify([topic, kind, atMs, tables.map(([{ name }, span]) => [name, span])]),
  async askAll(database, question, subjects) {
    const alone = (subject: string) => selectFound(database, { ...question, subjects: [subject] })
    if (subjects.length === 1) return alone
    const found = await selectFound(database, { ...question, subjects }, ofEach)
    if (found.length > joinedRowsMax) return alone
    const bySubject = new Map<string, Found[]>(subjects.map((subject) => [subject, []]))
    for (const row of found) bySubject.get(row.subject)?.push(row)
    return (subject) => bySubject.get(subject) ?? []
  },
})

export async function selectSubject(
  database: Pick<Database, 'query'>,
  question: SubjectQuestion,
): Promise<SubjectRows> {
  const { subjects, ...kind } = question
  const [subject = ''] = subjects
  const found = subjects.length === 1 ? await foundOf(database, kind, subject) : await selectFound(database, question)
  const spans = new Map(question.tables)
  const check = (table: AnyVersionTable) => assert(spans.has(table), `${table.name} is not in the question`)
  if (found.length > rowsMax)
    return {
      async of(table, limit) {
        check(table)
        return selectAlone(database, { ...question, table, span: spans.get(table) ?? null, limit })
      },
    }
  return {
    async of(table, limit = Number.POSITIVE_INFINITY) {
      check(table)
      const versions = found.filter(({ table_name }) => table_name === table.name)
      const rows = versions.slice(0, limit).flatMap((version) => readRow(table, version))
      const key = camelCase(columnOf(table, question)) as keyof (typeof rows)[number]
      return {
        // A token and a pool may have the same text, so the column decides.
        rows: rows.filter((row) => question.subjects.includes(row[key] as string)),
        isAll: versions.length < limit,
      }
    },
  }
}

function columnOf({ name, bySubject }: AnyVersionTable, { kind }: Pick<SubjectQuestion, 'kind'>): string {
  const column = bySubject?.[kind]
  assert(column !== undefined, `the rows of ${name} cannot be selected by ${kind}`)
  return column
}

type Found = Readonly<{
  subject: string
  table_name: string
  at_ms: string
  known_at_ms: string
  published_at_ms: string
  withdrawn: 0 | 1
  details: string
}>

/** The columns that tell rows apart, and the maximum number of rows. A row of two subjects is one row of `ofAll`. */
const ofAll = { key: 'table_name, at_ms, row_key', limit: rowsMax }
const ofEach = { key: `subject, ${ofAll.key}`, limit: joinedRowsMax }

/**
 * Returns at most `limit` + 1 rows. Each condition takes ClickHouse longer than a few more rows, so the query has only
 * the start of the longest span. Rows outside the span of their table are left out here.
 */
async function selectFound(
  database: Pick<Database, 'query'>,
  question: SubjectQuestion,
  { key, limit }: typeof ofAll = ofAll,
): Promise<readonly Found[]> {
  const { topic, atMs, tables, subjects } = question
  const spans = new Map(tables.map(([{ name }, span]) => [name, span]))
  const { sql, parameters } = oneOf(subjects)
  const rows = await database.query<Found>(
    `SELECT subject, table_name, at_ms, known_at_ms, published_at_ms, withdrawn, details FROM ${subjectRows.name}
    PREWHERE topic = '${topic}' AND subject ${sql} AND known_at_ms <= ${whole(atMs)} AND ${wanted(question)}
    ORDER BY log_offset DESC LIMIT 1 BY ${key} LIMIT ${limit + 1}`,
    parameters,
  )
  if (rows.length > limit) return rows
  return rows.filter(({ table_name, at_ms }) => {
    const span = spans.get(table_name) ?? null
    return span === null || (Number(at_ms) >= span.from && Number(at_ms) <= span.to)
  })
}

/** Returns SQL that is true for all rows of the question, and for some others of its tables. */
function wanted({ tables }: Pick<SubjectQuestion, 'tables'>): string {
  const namesOf = (some: SubjectQuestion['tables']) => some.map(([{ name }]) => `'${name}'`).join(', ')
  const isAmong = `table_name IN (${namesOf(tables)})`
  const ofAllTimes = tables.filter(([, span]) => span === null)
  if (ofAllTimes.length === tables.length) return isAmong
  const isRecent = `at_ms >= ${whole(Math.min(...tables.flatMap(([, span]) => span?.from ?? [])))}`
  return ofAllTimes.length === 0
    ? `${isAmong} AND ${isRecent}`
    : `${isAmong} AND (${isRecent} OR table_name IN (${namesOf(ofAllTimes)}))`
}

function readRow<Of extends AnyVersionTable>(table: Of, version: Found): readonly RowAtCut<Of>[] {
  if (version.withdrawn === 1) return []
  const values = JSON.parse(version.details) as readonly unknown[]
  const selected = Object.fromEntries(Object.keys(table.columns).map((name, index) => [name, values[index]]))
  const stamp = { knownAtMs: Number(version.known_at_ms), publishedAtMs: Number(version.published_at_ms) }
  return [{ ...rowOf(table, null, selected), ...stamp }]
}

type Alone<Of> = Omit<SubjectQuestion, 'tables'> & Readonly<{ table: Of; span: Span; limit: number | undefined }>

/** Selects the rows of one table with a query on this table. */
function selectAlone<Of extends AnyVersionTable>(
  database: Pick<Database, 'query'>,
  { table, span, limit, kind, subjects, atMs }: Alone<Of>,
): Promise<RowsAt<Of>> {
  const column = columnOf(table, { kind })
  const { sql, parameters } = oneOf(subjects)
  const inKey = table.naturalKey.includes(column)
  const conditions = {
    ...(span === null ? {} : { [String(table.bySubject?.time)]: span }),
    ...(inKey ? { [column]: { sql } } : {}),
  } as Parameters<typeof selectRowsAt<Of>>[2]['conditions']
  const constant = (inKey ? {} : { [column]: sql }) as Parameters<typeof selectRowsAt<Of>>[2]['constant']
  return selectRowsAt(database, table, {
    ...{ atMs, conditions, parameters },
    ...(constant === undefined ? {} : { constant }),
    ...(limit === undefined ? {} : { limit }),
  })
}
