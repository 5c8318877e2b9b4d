/**
 * The table of marks, one row per mark. A mark is a record that a stage writes after a reorg. It names a row
 * of another table that the reorg changed. The column `withdrawn` is 1 if the mark removes the named row.
 */
import { dayMs } from '../schemas/units.ts'
import { label, text } from './columns.ts'
import { table } from './table.ts'

type KeyedRow = Readonly<{
  table: Readonly<{ name: string; keyOf(values: readonly unknown[]): readonly unknown[] }>
  values: readonly unknown[]
}>

/**
 * A mark (a record that names a row changed by a reorg). `row` is the changed row. `former` is the same row
 * at its time before the reorg. `row` and `former` differ only if the reorg moved the row.
 */
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
    /** The natural key of the row as a JSON array. The values are in the order of `naturalKey`. */
    row_key: text(({ row }) => keyText(row)),
    former_key: text(({ former }) => keyText(former)),
  },
})
