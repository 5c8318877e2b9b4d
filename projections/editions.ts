/**
 * Hourly products: what a query tells of a whole hour, once everything up to it is known; in force until the next one. The sink
 * writes an edition before the watermark that lets a cut reach what it is made of, so every cut finds the same ones.
 */
import type { Database } from '../infra/clickhouse/database.ts'
import type { TopicName } from '../schemas/topics.ts'
import type { StageCut } from './cuts.ts'
import type { AnyTable, Table } from './table.ts'

export type Reading = Pick<Database, 'query'>

export type HourlyProduct = Readonly<{
  /** One row for each edition; its knowledge time is when everything up to its instant was known. */
  table: AnyTable
  /** The row's values, a function of the cut. The newest block of the cut is the instant that the edition tells of. */
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
