/** Collects the last version of each row in a series of derived records. */
import { isMark, type RowKey, type Stage, type StageRecord } from '../../../schemas/stage.ts'
import type { EpochMs } from '../../../schemas/units.ts'
import type { TokenOutput } from '../token-entry.ts'

export type DerivedOutput = TokenOutput<StageRecord>

/**
 * The last version of a row. `record` is null if the row was withdrawn. `supersedesAtMs` is the time of the
 * withdrawn row that this row replaced. It comes from the mark before this row.
 */
export type RowVersion = Readonly<{
  token: string
  key: RowKey
  record: StageRecord | null
  supersedesAtMs: EpochMs | null
}>

/** The last version of each row, by `rowId`. */
export type RowVersions = ReadonlyMap<string, RowVersion>

/**
 * Adds a record to the rows. Records must be added in log order, because a `Restated` mark comes right before
 * its record.
 */
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

export const rowId = (stage: Stage, { token, key }: Pick<RowVersion, 'token' | 'key'>): string =>
  `${token} ${key.recordType} ${stage.rowNameOf(key)} ${key.atMs}`
