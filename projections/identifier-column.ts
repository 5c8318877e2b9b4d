/** Where the tables name what can be asked about, and for how long. */
import type { AnyVersionTable } from './table.ts'

/** Rows of the table name something in the column, and can be shown for so long after an instant that they hold. */
export type IdentifierColumn = Readonly<{
  table: AnyVersionTable
  column: string
  /** Null: as long as the table keeps them. */
  life: Readonly<{ fromColumn: string; ms: number }> | null
}>
