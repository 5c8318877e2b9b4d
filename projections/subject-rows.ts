/**
 * The table of the rows of other tables, ordered by subject. A subject is a token (a mint on chain B) or a
 * pool. An answer
 * about a subject needs a few rows of many tables. ClickHouse takes longer to plan a query than to read these
 * rows, so one query on this table replaces a query on each of the other tables.
 */
import assert from 'node:assert/strict'
import { dayMs } from '../schemas/units.ts'
import { int64, label, type RowContext, text } from './columns.ts'
import { type AnyVersionTable, table } from './table.ts'

type WrittenRow = Readonly<{ table: AnyVersionTable; values: readonly unknown[]; isWithdrawn?: true }>

type SubjectRow = Readonly<{ subject: string; row: WrittenRow }>

export const subjectRows = table<SubjectRow>()({
  name: 'subject_rows',
  order: ['topic', 'subject', 'table_name', 'at_ms', 'row_key', 'log_offset'],
  // A partition is dropped when the rows of the other tables are: no row is known long before its own time.
  partition: { column: 'known_at_ms', everyMs: 30 * dayMs },
  columns: {
    topic: label((_, { topic }) => topic),
    subject: text(({ subject }) => subject),
    table_name: label(({ row }) => row.table.name),
    /** The time in the natural key of the row. */
    at_ms: int64(({ row }) => Number(row.table.bySubject?.timeOf(row.values))),
    /** The natural key of the row. */
    row_key: text(({ row }) => row.table.keyTextOf(row.values)),
    /** The stored values of the row as a JSON array, in the order of the columns of its table. */
    details: text(({ row }) => (row.isWithdrawn ? '' : JSON.stringify(row.values))),
  },
})

/** Returns the copies of a row for its subjects. There are none if no answer asks for the table by subject. */
export function rowsOfSubjects(
  row: WrittenRow,
  context: RowContext,
): readonly Readonly<{ table: typeof subjectRows; values: readonly unknown[] }>[] {
  const { bySubject, name } = row.table
  if (bySubject === null) return []
  return bySubject.subjectsOf(row.values).map((subject) => {
    assert(typeof subject === 'string', `a version of a row of ${name} has no subject`)
    return { table: subjectRows, values: subjectRows.valuesOf({ subject, row }, context) }
  })
}
