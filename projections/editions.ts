/**
 * Hourly products: the result of a query about a whole hour, made once everything up to it is known, and in force until the next
 * one. The sink writes an edition before the watermark that lets a cut reach its inputs, so every cut finds the same editions.
 */
import type { Database } from '../infra/clickhouse/database.ts'
import type { TopicName } from '../schemas/topics.ts'
import type { StageCut } from './cuts.ts'
import type { AnyTable, Table } from './table.ts'

export type Reading = Pick<Database, 'query'>

export type HourlyProduct = Readonly<{
  /** One row for each edition. Its knowledge time is when everything up to its instant was known. */
  table: AnyTable
  /** The values of the row, a function of the cut. The cut's newest block is the instant of the edition. */
  valuesAt(database: Reading, cut: StageCut, topic: TopicName): Promise<readonly unknown[]>
}>

/** An hourly product: `editionAt` computes the content of each edition, which becomes one row. */
export const hourlyProduct = <Edition>(
  table: Table<Edition>,
  editionAt: (database: Reading, cut: StageCut) => Promise<Edition>,
): HourlyProduct => ({
  table,
  valuesAt: async (database, cut, topic) =>
    table.valuesOf(await editionAt(database, cut), { topic, logKey: '', supersedesAtMs: null }),
})
