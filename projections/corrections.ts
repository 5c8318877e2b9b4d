/** Finds rows that were corrected after their publication, with the earlier value of each field. */
import type { Database } from '../infra/clickhouse/database.ts'
import type { EpochMs } from '../schemas/units.ts'
import { type Known, marksIn, marksMissingUntil, versionsMarked, versionsRevised } from './at-cut.ts'
import { restatements } from './restatements.ts'
import { camelCase, rowOf, type Selected, selectOf, stampOf } from './select.ts'
import { selectOne } from './select-one.ts'
import type { AnyVersionTable } from './table.ts'

/**
 * Pairs the tables with their record types. `hides` names, for each record type, the columns that are never
 * published.
 */
export const correctedOf = (
  tables: Readonly<Record<string, AnyVersionTable>>,
  hides: Readonly<Record<string, readonly string[]>> = {},
): readonly CorrectedTable[] =>
  Object.entries(tables).map(([recordType, table]) => ({ recordType, table, hides: hides[recordType] ?? [] }))

export type CorrectedTable = Readonly<{
  table: AnyVersionTable
  /** The record type of its rows. */
  recordType: string
  /** Columns that are never published, because they can name a private chat. */
  hides?: readonly string[]
  /**
   * The reason why a row gets new versions without a reorg. Without this field, new versions only add later
   * events, so they are not corrections.
   */
  revisedBy?: CorrectionReason
}>

/**
 * The reasons of corrections:
 * - `reorg`: a reorg of the chain.
 * - `owner_check`: the node gave a different owner of a pool's liquidity than the log.
 */
export const correctionReasons = ['reorg', 'owner_check'] as const
type CorrectionReason = (typeof correctionReasons)[number]

/**
 * The values of a field before and after a correction. A value is null if the field has no value in that
 * version, or if the row did not exist.
 */
type FieldChange = Readonly<{ field: string; from: unknown; to: unknown }>

type Key = Readonly<Record<string, string | number>>

export type Correction = Readonly<{
  knownAtMs: EpochMs
  publishedAtMs: EpochMs
  recordType: string
  /**
   * The token of the corrected row, from the mark that a reorg wrote. Null if the correction has no mark.
   * Then `key` identifies the row without the token.
   */
  token: string | null
  /** The natural key of the row, without hidden columns. `atMs` is the time in that key. */
  key: Key
  atMs: EpochMs
  /** The time from which a reorg moved the row to `atMs`. Null if the row did not move. */
  movedFromAtMs: EpochMs | null
  isWithdrawn: boolean
  reason: CorrectionReason
  changes: readonly FieldChange[]
}>

export type Corrections = Readonly<{
  /**
   * Returns the newest corrections that became known in the range, at most `limit`. They are ordered by the
   * time at which they became known, then by place in the log.
   */
  knownIn(known: Known, limit: number): Promise<readonly Correction[]>
  /**
   * Returns the time until which the tables lack corrections: corrections that became known until then may be
   * missing. 0 if none are missing.
   */
  missingUntilMs(): Promise<number>
}>

type Source = Readonly<{ database: Database; topic: string; tables: readonly CorrectedTable[] }>

/**
 * Creates the queries for the corrections of one stage. `topic` is the derived topic of the stage. `database`
 * has the reader role.
 */
export function createCorrections({ database, topic, tables }: Source): Corrections {
  return {
    async knownIn(known, limit) {
      const marks = await selectMarks({ database, topic, tables }, known, limit)
      const found: Placed[] = []
      for (const corrected of tables) {
        const ofTable = marks.filter(({ tableName }) => tableName === corrected.table.name)
        if (ofTable.length > 0) {
          const range = { ...known, afterMs: Math.min(...ofTable.map(({ knownAtMs }) => knownAtMs)) - 1 }
          const versions = await selectVersions(database, corrected, versionsMarked(corrected.table, range))
          found.push(...ofTable.map((mark) => correctionOf(corrected, mark, versions)))
        }
        if (corrected.revisedBy !== undefined) {
          const versions = await selectVersions(database, corrected, versionsRevised(corrected.table, known))
          found.push(...revisionsOf({ ...corrected, reason: corrected.revisedBy }, { known, versions, marks: ofTable }))
        }
      }
      return found.filter(isPublished).sort(inOrder).slice(-limit)
    },
    async missingUntilMs() {
      const row = await selectOne<{ knownAtMs: string }>(database, `SELECT * FROM ${marksMissingUntil(topic)}`)
      return Number(row.knownAtMs)
    },
  }
}

type Mark = Readonly<{
  tableName: string
  token: string
  rowKey: string
  formerKey: string
  isWithdrawn: boolean
}> &
  Place

type Place = Readonly<{ knownAtMs: EpochMs; publishedAtMs: EpochMs; partition: number; offset: number; seq: number }>
type Placed = Correction & Place

async function selectMarks({ database, topic, tables }: Source, known: Known, limit: number): Promise<readonly Mark[]> {
  const source = marksIn({ topic, tables: tables.map(({ table }) => table) }, known, limit)
  const rows = await database.query<Selected>(
    `SELECT ${selectOf(restatements, 'm')}, ${placeOf('m')} FROM ${source} AS m`,
  )
  return rows.map((selected) => ({
    ...rowOf(restatements, 'm', selected),
    ...placeIn('m', selected),
    isWithdrawn: Number(selected.m_withdrawn) === 1,
  }))
}

const placeOf = (alias: string): string =>
  ['log_partition', 'log_offset', 'tick_seq', 'withdrawn']
    .map((name) => `${alias}.${name} AS ${alias}_${name}`)
    .join(', ')

const placeIn = (alias: string, selected: Selected): Place => ({
  ...stampOf(alias, selected),
  partition: Number(selected[`${alias}_log_partition`]),
  offset: Number(selected[`${alias}_log_offset`]),
  seq: Number(selected[`${alias}_tick_seq`]),
})

type Version = Readonly<{ row: Readonly<Record<string, unknown>>; keyText: string; isWithdrawn: boolean }> & Place
/** The versions of each row, by the text of the natural key. Each list is in the order of the log. */
type Versions = ReadonlyMap<string, readonly Version[]>

async function selectVersions(database: Database, { table }: CorrectedTable, source: string): Promise<Versions> {
  const rows = await database.query<Selected>(`SELECT ${selectOf(table, 'v')}, ${placeOf('v')} FROM ${source} AS v`)
  const versions = rows.map((selected): Version => {
    const row = rowOf(table, 'v', selected) as Readonly<Record<string, unknown>>
    const keyText = JSON.stringify(table.naturalKey.map((column) => row[camelCase(column)]))
    return { row, keyText, isWithdrawn: Number(selected.v_withdrawn) === 1, ...placeIn('v', selected) }
  })
  versions.sort((left, right) => left.seq - right.seq || left.offset - right.offset)
  const byKey = new Map<string, Version[]>()
  for (const version of versions) {
    const ofRow = byKey.get(version.keyText) ?? []
    ofRow.push(version)
    byKey.set(version.keyText, ofRow)
  }
  return byKey
}

function correctionOf(corrected: CorrectedTable, mark: Mark, versions: Versions): Placed {
  const former = versions.get(mark.formerKey)?.findLast(({ seq }) => seq < mark.seq)
  const latter = versions.get(mark.rowKey)?.findLast(({ seq }) => seq <= mark.seq)
  const key = keyIn(corrected, JSON.parse(mark.rowKey))
  const movedFrom = mark.formerKey === mark.rowKey ? null : keyIn(corrected, JSON.parse(mark.formerKey)).atMs
  return {
    ...placed(mark),
    ...{ recordType: corrected.recordType, token: mark.token, ...key },
    ...{ movedFromAtMs: movedFrom, isWithdrawn: mark.isWithdrawn, reason: 'reorg' },
    changes: changesBetween(corrected, shownOf(former), mark.isWithdrawn ? null : shownOf(latter)),
  }
}

type Revising = Readonly<{ known: Known; versions: Versions; marks: readonly Mark[] }>

function revisionsOf(
  corrected: CorrectedTable & Readonly<{ reason: CorrectionReason }>,
  { known, versions, marks }: Revising,
): readonly Placed[] {
  const marked = new Set(marks.map(({ rowKey, seq }) => `${rowKey} ${seq}`))
  const found: Placed[] = []
  for (const [keyText, ofRow] of versions)
    for (const [index, version] of ofRow.entries()) {
      const former = ofRow[index - 1]
      const isOfTime = version.knownAtMs > known.afterMs && version.knownAtMs <= known.toMs
      if (!isOfTime || !former || version.isWithdrawn || former.isWithdrawn) continue
      if (former.seq === version.seq || marked.has(`${keyText} ${version.seq}`)) continue
      found.push({
        ...placed(version),
        ...{ recordType: corrected.recordType, token: null, ...keyIn(corrected, JSON.parse(keyText)) },
        ...{ movedFromAtMs: null, isWithdrawn: false, reason: corrected.reason },
        changes: changesBetween(corrected, former.row, version.row),
      })
    }
  return found
}

const placed = ({ knownAtMs, publishedAtMs, partition, offset, seq }: Place): Place => ({
  ...{ knownAtMs, publishedAtMs, partition, offset, seq },
})

const shownOf = (version: Version | undefined) => (version === undefined || version.isWithdrawn ? null : version.row)

/**
 * Returns the key of the row without hidden columns, and the time in the key. Every natural key contains
 * exactly one time.
 */
function keyIn({ table, hides = [] }: CorrectedTable, values: readonly (string | number)[]) {
  const key: Record<string, string | number> = {}
  let atMs = 0
  for (const [index, column] of table.naturalKey.entries()) {
    const value = values[index] ?? ''
    if (column.endsWith('_ms')) atMs = Number(value)
    if (!hides.includes(column)) key[camelCase(column)] = value
  }
  return { key, atMs }
}

function changesBetween(
  { table, hides = [] }: CorrectedTable,
  former: Version['row'] | null,
  latter: Version['row'] | null,
): readonly FieldChange[] {
  return Object.keys(table.columns)
    .filter((column) => column !== 'chain' && !hides.includes(column))
    .map(camelCase)
    .map((field) => ({ field, from: former?.[field] ?? null, to: latter?.[field] ?? null }))
    .filter(({ from, to }) => JSON.stringify(from) !== JSON.stringify(to))
}

/**
 * Returns whether the correction is published. A correction that changed only hidden fields is not published.
 */
const isPublished = ({ isWithdrawn, movedFromAtMs, changes }: Correction): boolean =>
  isWithdrawn || movedFromAtMs !== null || changes.length > 0

const inOrder = (left: Placed, right: Placed): number =>
  left.knownAtMs - right.knownAtMs || left.partition - right.partition || left.offset - right.offset
