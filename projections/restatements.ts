/**
 * Which rows the marks of the runtime name after a reorg: one row for each mark. `withdrawn`: the row was taken back. The versions
 * themselves are in the table that is named.
 */
import { dayMs } from '../schemas/units.ts'
import { label, text } from './columns.ts'
import { table } from './table.ts'

type KeyedRow = Readonly<{
  table: Readonly<{ name: string; keyOf(values: readonly unknown[]): readonly unknown[] }>
  values: readonly unknown[]
}>

/** `former`: the same row where it stood before; only a row that moved has two. */
export type Correcting = Readonly<{ recordType: string; token: string; row: KeyedRow; former: KeyedRow }>

const keyText = ({ table, values }: KeyedRow): string => JSON.stringify(table.keyOf(values))

export const restatements = table<Correcting>()({
  name: 'restatements',
  order: ['known_at_ms', 'topic', 'log_partition', 'log_offset'],
  partition: { column: 'known_at_ms', everyMs: dayMs },
  columns: {
    topic: label((_, { topic }) => topic),
    record_type: label(({ recordType }) => recordType),
    table_name: label(({ row }) => row.table.name),
    token: text(({ token }) => token),
    /** JSON: the values of the table's natural key, in its order. */
    row_key: text(({ row }) => keyText(row)),
    former_key: text(({ former }) => keyText(former)),
  },
})
