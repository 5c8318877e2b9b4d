/**
 * Hourly products. An edition of a product is the result of a query up to a whole hour. The edition is
 * computed as soon as everything up to that hour is known. It is in force until the next edition.
 *
 * The sink writes the edition before the watermark that makes the edition's inputs visible. So every query at
 * a cut finds the same edition.
 */
import type { Database } from '../infra/clickhouse/database.ts'
import type { TopicName } from '../schemas/topics.ts'
import type { StageCut } from './cuts.ts'
import type { AnyTable, Table } from './table.ts'

export type Reading = Pick<Database, 'query'>

export type HourlyProduct = Readonly<{
  /**
   * The table with one row for each edition. `known_at_ms` is the time when everything up to the edition's
   * instant was known.
   */
  table: AnyTable
  /** Computes the values of the row at the cut. `cut.blockAtMs` is the instant of the edition. */
  valuesAt(database: Reading, cut: StageCut, topic: TopicName): Promise<readonly unknown[]>
}>

/** Makes an hourly product. `editionAt` computes an edition, which becomes one row of the table. */
export const hourlyProduct = <Edition>(
  table: Table<Edition>,
  editionAt: (database: Reading, cut: StageCut) => Promise<Edition>,
): HourlyProduct => ({
  table,
  valuesAt: async (database, cut, topic) =>
    table.valuesOf(await editionAt(database, cut), { topic, logKey: '', supersedesAtMs: null }),
})
