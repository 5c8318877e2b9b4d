/**
 * Selects joined rows in pages, the newest first. So an answer about a long time needs little memory, and it stops at the
 * page with its last row.
 */
import type { EpochMs } from '../schemas/units.ts'
import type { StageCut } from './cuts.ts'
import { type JoinedRow, type JoinedSource, type Range, selectJoined } from './recent-rows.ts'
import { selectNthTime } from './rows-at-cut.ts'
import type { AnyVersionTable } from './table.ts'

type Tables = Readonly<Record<string, AnyVersionTable>>

/** The rows whose time is at or after `fromMs` and before those of the page before. They have no order. */
type Page<Of extends Tables, First extends keyof Of> = Readonly<{
  fromMs: EpochMs
  rows: readonly JoinedRow<Of, First>[]
}>

/** All rows of one time are on the same page, so a page can have more rows than `pageRows`. */
export async function* selectPages<Of extends Tables, First extends keyof Of & string>(
  source: JoinedSource<Of, First>,
  cut: StageCut,
  { range, pageRows }: Readonly<{ range: Range; pageRows: number }>,
): AsyncGenerator<Page<Of, First>> {
  const { database, tables, first, time } = source
  const { from } = range
  for (let { to } = range; from <= to; ) {
    const question = { atMs: cut.atMs, conditions: { [time]: { from, to } }, time, nth: pageRows }
    const fromMs = (await selectNthTime(database, tables[first] as AnyVersionTable, question)) ?? from
    yield { fromMs, rows: await selectJoined(source, cut, { range: { from: fromMs, to } }) }
    to = fromMs - 1
  }
}
