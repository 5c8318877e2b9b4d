/** The last version of each row among derived records: what is left to see for a reader of the newest alone. */
import { isMark, type RowKey, type Stage, type StageRecord } from '../../schemas/stage.ts'
import type { TokenOutput } from './walk.ts'

export type DerivedOutput = TokenOutput<StageRecord>

/** `record` null: the row was withdrawn. `supersedesAtMs`: the instant of the row whose place it took, as its mark says. */
export type RowVersion = Readonly<{
  token: string
  key: RowKey
  record: StageRecord | null
  supersedesAtMs: number | null
}>

/** By what names the row. */
export type RowVersions = ReadonlyMap<string, RowVersion>

/** Records come in the order of the log, where a mark stands right before its record. */
export function addVersion(stage: Stage, rows: Map<string, RowVersion>, { token, record }: DerivedOutput): void {
  if (!isMark(record)) {
    const key = stage.rowKeyOf(record)
    const id = rowId(stage, { token, key })
    rows.set(id, { token, key, record, supersedesAtMs: rows.get(id)?.supersedesAtMs ?? null })
  } else if (record.type === 'Restated') {
    const { supersedesAtMs, ...key } = record.data
    const id = rowId(stage, { token, key })
    rows.set(id, { token, key, record: rows.get(id)?.record ?? null, supersedesAtMs })
  } else {
    const key = record.data
    rows.set(rowId(stage, { token, key }), { token, key, record: null, supersedesAtMs: null })
  }
}

/** The token is the record's key on the log. */
export const rowId = (stage: Stage, { token, key }: Pick<RowVersion, 'token' | 'key'>): string =>
  `${token} ${key.recordType} ${stage.rowNameOf(key)} ${key.atMs}`
