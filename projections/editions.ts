/**
 * Hourly products: what a query says at a whole hour, in force until the next one. The sink writes an edition before the
 * watermark that lets a cut reach its hour, from what was known by then, so every cut of the hour finds the same one.
 */
import type { Database } from '../infra/clickhouse/database.ts'
import type { TopicName } from '../schemas/topics.ts'
import type { StageCut } from './cuts.ts'
import type { AnyTable, Table } from './table.ts'

export type Reading = Pick<Database, 'query'>

export type HourlyProduct = Readonly<{
  /** One row for each edition; its knowledge time is the edition's instant. */
  table: AnyTable
  /** The row's values, a function of the cut. */
  valuesAt(database: Reading, cut: StageCut, topic: TopicName): Promise<readonly unknown[]>
}>

/** A product whose editions are the rows that `editionAt` makes. */
export const hourlyProduct = <Edition>(
  table: Table<Edition>,
  editionAt: (database: Reading, cut: StageCut) => Promise<Edition>,
): HourlyProduct => ({
  table,
  valuesAt: async (database, cut, topic) =>
    table.valuesOf(await editionAt(database, cut), { topic, logKey: '', supersedesAtMs: null }),
})
