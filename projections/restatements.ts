/**
 * The rows that the marks of the runtime name after a reorg, one row for each mark. `withdrawn`: the row was taken back. The
 * versions themselves are in the named table.
 */
import { dayMs } from '../schemas/units.ts'
import { label, text } from './columns.ts'
import { table } from './table.ts'

type KeyedRow = Readonly<{
  table: Readonly<{ name: string; keyOf(values: readonly unknown[]): readonly unknown[] }>
  values: readonly unknown[]
}>

/** `former`: the row at its earlier instant. It differs from `row` only if the row moved. */
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
    /** The values of the table's natural key, in its order, as JSON. */
    row_key: text(({ row }) => keyText(row)),
    former_key: text(({ former }) => keyText(former)),
  },
})
