/**
 * Keeps the newest rows of a table in memory, each joined with its rows in other tables. So a list needs no query as
 * long as no row changed. For a time before these rows, and for a cut before the newest one, the rows are selected.
 */
import type { Database, QueryParameters } from '../infra/clickhouse/database.ts'
import { type DurationMs, type EpochMs, hourMs } from '../schemas/units.ts'
import type { StageCut } from './cuts.ts'
import { advanceMsMax, type KeptState, keepAtCut } from './keep-at-cut.ts'
import { type KeyCondition, whole } from './key-conditions.ts'
import { hasNewRows } from './recent-writes.ts'
import { byKey, keyTextOf, type RowAtCut, selectChangedRows, selectRowsAt } from './rows-at-cut.ts'
import { camelCase } from './select.ts'
import type { AnyVersionTable } from './table.ts'

/** Tables with the same natural key, by name. */
type Tables = Readonly<Record<string, AnyVersionTable>>

/**
 * The rows of all tables with the same natural key. Only the row of the table `First` is always there. If one of the
 * rows changes, the next joined row is another object, so anything computed from it can be kept beside it.
 */
export type JoinedRow<Of extends Tables, First extends keyof Of> = {
  readonly [Name in keyof Of]: RowAtCut<Of[Name]> | (Name extends First ? never : undefined)
}

export type JoinedSource<Of extends Tables, First extends keyof Of> = Readonly<{
  database: Pick<Database, 'query'>
  tables: Of
  /** The table that begins a joined row. The other rows become known later. */
  first: First
  /** The column of the natural key that has the time of a row. */
  time: string
}>

type Source<Of extends Tables, First extends keyof Of> = JoinedSource<Of, First> &
  Readonly<{
    /** The age of the rows that are kept, in ms. */
    keptMs: DurationMs
    /** The number of joined rows that are kept. If there are twice as many, the older half goes. */
    rowsMax?: number
  }>

/** A range of times. Both ends are included. */
export type Range = Readonly<{ from: EpochMs; to: EpochMs }>

/** Returns the joined rows whose time is in the range, as known at the cut. They have no order. */
export type RecentRows<Of extends Tables, First extends keyof Of> = (
  cut: StageCut,
  range: Range,
) => Promise<readonly JoinedRow<Of, First>[]>

/** Returns the same as `RecentRows`, or null if the memory does not have all of them. */
export type RowsInMemory<Of extends Tables, First extends keyof Of> = (
  cut: StageCut,
  range: Range,
) => Promise<readonly JoinedRow<Of, First>[] | null>

type AnyRow = Readonly<Record<string, unknown>>
type ChangedRow = Readonly<{ row: AnyRow; isWithdrawn: boolean }>
type Joined = Readonly<Record<string, AnyRow | undefined>>

/** `fromMs` is the time of the earliest row that the memory has for certain. */
type Memory = { fromMs: EpochMs; rows: Map<string, Joined> }

const rowsMaxDefault = 5000

/** A time after all rows. If all selected rows are withdrawn, the memory has no row for certain, so it begins here. */
const afterAllRows = Number.MAX_SAFE_INTEGER - 1

/** Creates the function that returns the rows. It selects those that are not in the memory, `inMemory`. */
export function createRecentRows<Of extends Tables, First extends keyof Of & string>(
  source: Source<Of, First>,
  inMemory: RowsInMemory<Of, First> = createRowsInMemory(source),
): RecentRows<Of, First> {
  return async (cut, range) => (await inMemory(cut, range)) ?? selectJoined(source, cut, { range })
}

/** Creates the function that returns rows only from memory. */
export function createRowsInMemory<Of extends Tables, First extends keyof Of & string>(
  source: Source<Of, First>,
): RowsInMemory<Of, First> {
  const { database, tables, first, keptMs, rowsMax = rowsMaxDefault } = source
  const names = Object.keys(tables)
  const timeKey = camelCase(source.time)
  const timeOf = (row: AnyRow): EpochMs => row[timeKey] as EpochMs
  const since = (fromMs: EpochMs): Readonly<Record<string, KeyCondition>> => ({
    [source.time]: { sql: `>= ${whole(fromMs)}` },
  })
  const tableOf = (name: string): AnyVersionTable => tables[name] as AnyVersionTable

  const load = async (cut: StageCut): Promise<Memory> => {
    const wantedFromMs = Math.floor(cut.blockAtMs - keptMs)
    const begun = await selectRowsAt(database, tableOf(first), {
      ...{ atMs: cut.atMs, conditions: since(wantedFromMs), order: `${source.time} DESC`, limit: rowsMax },
    })
    // If not all rows were selected, some of the oldest time may be missing.
    const fromMs = begun.isAll ? wantedFromMs : Math.min(afterAllRows, ...begun.rows.map(timeOf)) + 1
    const memory: Memory = { fromMs, rows: new Map() }
    const question = { atMs: cut.atMs, conditions: since(memory.fromMs) }
    const later = await Promise.all(
      names.map((name) => (name === first ? begun : selectRowsAt(database, tableOf(name), question))),
    )
    for (const [index, name] of names.entries())
      for (const row of later[index]?.rows ?? []) put(memory, name, { row, isWithdrawn: false })
    return memory
  }

  const advance = async (kept: KeptState<Memory> | null, cut: StageCut): Promise<Memory> => {
    const wantedFromMs = Math.floor(cut.blockAtMs - keptMs)
    if (kept === null || cut.atMs - kept.cut.atMs > advanceMsMax) return load(cut)
    const memory = kept.state
    const changed = names.filter((name) => hasNewRows(tableOf(name), kept.cut.atMs, cut))
    const known = { afterMs: kept.cut.atMs, toMs: cut.atMs, conditions: since(memory.fromMs) }
    const versions = await Promise.all(changed.map((name) => selectChangedRows(database, tableOf(name), known)))
    for (const [index, name] of changed.entries())
      for (const version of versions[index] ?? []) put(memory, name, version)
    forget(memory, wantedFromMs)
    return memory
  }

  const put = ({ rows }: Memory, name: string, { row, isWithdrawn }: ChangedRow): void => {
    const key = keyTextOf(tableOf(name), row)
    const joined = { ...rows.get(key), [name]: isWithdrawn ? undefined : row }
    if (names.some((each) => joined[each] !== undefined)) rows.set(key, joined)
    else rows.delete(key)
  }

  const forget = (memory: Memory, wantedFromMs: EpochMs): void => {
    const { rows } = memory
    if (wantedFromMs - memory.fromMs <= hourMs && rows.size <= 2 * rowsMax) return
    const times = new Map([...rows].map(([key, joined]) => [key, timeOf(Object.values(joined).find(isRow) as AnyRow)]))
    const newestFirst = [...times.values()].sort((left, right) => right - left)
    memory.fromMs = Math.max(wantedFromMs, (newestFirst[rowsMax] ?? Number.NEGATIVE_INFINITY) + 1)
    for (const [key, atMs] of times) if (atMs < memory.fromMs) rows.delete(key)
  }

  const memoryAt = keepAtCut<Memory>({ database, tables: Object.values(tables), advance })
  /** The time of the earliest row in memory, and the cut at which it was so. */
  let known: Readonly<{ fromMs: EpochMs; atMs: EpochMs }> | null = null
  return async (cut, range) => {
    // Until the memory is built again, it will not have earlier rows. So it need not be brought to the cut.
    if (known !== null && range.from < known.fromMs && cut.atMs - known.atMs <= advanceMsMax) return null
    const memory = await memoryAt(cut)
    if (memory === null) return null
    known = { fromMs: memory.fromMs, atMs: cut.atMs }
    if (range.from < memory.fromMs) return null
    const found: Joined[] = []
    for (const row of memory.rows.values()) if (isIn(row[first], range)) found.push(row)
    return found as readonly unknown[] as readonly JoinedRow<Of, First>[]
  }

  function isIn(row: AnyRow | undefined, { from, to }: Range): boolean {
    return row !== undefined && timeOf(row) >= from && timeOf(row) <= to
  }
}

const isRow = (row: AnyRow | undefined): boolean => row !== undefined

type JoinedQuestion = Readonly<{
  range: Range
  /** More conditions on the natural key. */
  conditions?: Readonly<Record<string, KeyCondition>>
  parameters?: QueryParameters
}>

/** Selects the joined rows whose time is in the range, as known at the cut. They have no order. */
export async function selectJoined<Of extends Tables, First extends keyof Of & string>(
  { database, tables, first, time }: JoinedSource<Of, First>,
  { atMs }: StageCut,
  { range, conditions = {}, parameters = {} }: JoinedQuestion,
): Promise<readonly JoinedRow<Of, First>[]> {
  const rowsIn = async (name: string, { from, to }: Range) => {
    const question = { atMs, conditions: { ...conditions, [time]: { from, to } }, parameters }
    return (await selectRowsAt(database, tables[name] as AnyVersionTable, question)).rows
  }
  const begun = await rowsIn(first, range)
  if (begun.length === 0) return []
  const times = begun.map((row: AnyRow) => row[camelCase(time)] as EpochMs)
  const found = await Promise.all(
    Object.keys(tables).map(async (name) => [
      name,
      name === first ? begun : await rowsIn(name, { from: Math.min(...times), to: Math.max(...times) }),
    ]),
  )
  return joinRows({ tables, first }, Object.fromEntries(found))
}

/** Joins rows that were selected from each of the tables. */
export function joinRows<Of extends Tables, First extends keyof Of & string>(
  { tables, first }: Pick<Source<Of, First>, 'tables' | 'first'>,
  rows: { readonly [Name in keyof Of]: readonly RowAtCut<Of[Name]>[] },
): readonly JoinedRow<Of, First>[] {
  const rowOf = Object.entries(tables).map(([name, table]) => [name, byKey(table, rows[name] ?? [])] as const)
  return (rows[first] as readonly AnyRow[]).map(
    (row) => Object.fromEntries(rowOf.map(([name, find]) => [name, find(row)])) as JoinedRow<Of, First>,
  )
}
