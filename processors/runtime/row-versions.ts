/** The last version of each row among derived records: what is left to see for whoever reads only the newest. */
import { type ChainADerived, type ChainADerivedRecord, type RowKey, rowKeyOf } from '../../schemas/chain-a/derived.ts'
import type { Token } from './token-book.ts'

/** A derived record, or a mark of a revert, and the token it is about. */
export type DerivedOutput = Readonly<{ token: Token; record: Exclude<ChainADerivedRecord, { type: 'Tick' }> }>

/** `record` null: the row was withdrawn. `supersedesAtMs`: the instant of the burst whose place it took, as its mark says. */
export type RowVersion = Readonly<{
  token: Token
  key: RowKey
  record: ChainADerived | null
  supersedesAtMs: number | null
}>

/** By what names the row. */
export type RowVersions = ReadonlyMap<string, RowVersion>

/** Records come in the order of the log, where a mark stands right before its record. */
export function addVersion(rows: Map<string, RowVersion>, { token, record }: DerivedOutput): void {
  if (record.type === 'Restated') {
    const { supersedesAtMs, ...key } = record.data
    const id = rowId({ token, key })
    rows.set(id, { token, key, record: rows.get(id)?.record ?? null, supersedesAtMs })
  } else if (record.type === 'Withdrawn') {
    const key = record.data
    rows.set(rowId({ token, key }), { token, key, record: null, supersedesAtMs: null })
  } else {
    const key = rowKeyOf(record)
    const id = rowId({ token, key })
    rows.set(id, { token, key, record, supersedesAtMs: rows.get(id)?.supersedesAtMs ?? null })
  }
}

/** The token is the record's key on the log; with it, nothing is asked of how pools are named. */
export const rowId = ({ token, key }: Pick<RowVersion, 'token' | 'key'>): string =>
  `${token} ${key.recordType} ${key.pool} ${key.tier} ${key.atMs}`
