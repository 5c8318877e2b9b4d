/** Describes a column of identifiers that can be asked about, and for how long. */

import type { DurationMs } from '../schemas/units.ts'
import type { AnyVersionTable } from './table.ts'

/** A column with identifiers. Rows can be shown for `life.ms` after the instant in `life.fromColumn`. */
export type IdentifierColumn = Readonly<{
  table: AnyVersionTable
  column: string
  /** Null: for as long as the table keeps the rows. */
  life: Readonly<{ fromColumn: string; ms: DurationMs }> | null
}>
