/**
 * Describes a column of identifiers (such as token addresses) that requests can name, and how long its rows
 * can be shown.
 */

import type { DurationMs } from '../schemas/units.ts'
import type { AnyVersionTable } from './table.ts'

/**
 * A column with identifiers. If `life` is set, a row can be shown for `life.ms` after the time in
 * `life.fromColumn`.
 */
export type IdentifierColumn = Readonly<{
  table: AnyVersionTable
  column: string
  /** How long a row can be shown. Null if a row can be shown as long as it is in the table. */
  life: Readonly<{ fromColumn: string; ms: DurationMs }> | null
}>
