/**
 * Results that are computed every hour. An edition is the result of a query over the data up to a whole hour.
 * The edition is computed as soon as all data up to that hour is known. It is valid until the next edition.
 *
 * The edition is written to the tables before the watermark that makes the data of that hour visible. So
 * every query at a cut finds the same edition.
 */
import type { Database } from '../infra/clickhouse/database.ts'
import type { TopicName } from '../schemas/topics.ts'
import type { StageCut } from './cuts.ts'
import type { AnyTable, Table } from './table.ts'

export type Reading = Pick<Database, 'query'>

export type HourlyProduct = Readonly<{
  /**
   * The table with one row for each edition. `known_at_ms` is the time when all data up to the edition's hour
   * was known.
   */
  table: AnyTable
  /**
   * Computes the values of the row from the data at the cut. `cut.blockAtMs` is the time that the edition
   * covers.
   */
  valuesAt(database: Reading, cut: StageCut, topic: TopicName): Promise<readonly unknown[]>
}>

/**
 * Defines a result that is computed every hour. `editionAt` computes an edition, which becomes one row of the
 * table.
 */
export const hourlyProduct = <Edition>(
  table: Table<Edition>,
  editionAt: (database: Reading, cut: StageCut) => Promise<Edition>,
): HourlyProduct => ({
  table,
  valuesAt: async (database, cut, topic) =>
    table.valuesOf(await editionAt(database, cut), { topic, logKey: '', supersedesAtMs: null }),
})
