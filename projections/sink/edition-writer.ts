/** Writes the editions of hourly products that a batch makes complete: after its rows, before its watermark. */
import assert from 'node:assert/strict'
import type { Database } from '../../infra/clickhouse/database.ts'
import { editionInstants } from '../at-cut.ts'
import { stageCutAt } from '../cuts.ts'
import type { Projection } from '../projection.ts'
import { columnsOf } from '../table.ts'
import type { Batch, Progress } from './write-batch.ts'

export type EditionWriter = Readonly<{
  /** Again with the same batch, it writes the same editions. */
  write(batch: Batch): Promise<void>
}>

type Options = Readonly<{
  projection: Projection
  database: Pick<Database, 'query' | 'insert'>
  /** Of each partition of the stage's derived topic, as the watermarks have it. */
  progress: ReadonlyMap<number, Progress>
}>

/** Editions stand on whole hours, and until the log is there for one on whole minutes. */
const finestMs = 60_000

export function createEditionWriter({ projection, database, progress }: Options): EditionWriter {
  const { stage, hourly } = projection
  const { name: topic, partitionCount } = stage.derivedTopic
  let known = new Map<number, number>()
  for (const [partition, { done }] of progress) if (done) known.set(partition, done.knownAtMs)

  /** What every partition has reached; null while one has nothing. */
  const reachedMs = (reached: ReadonlyMap<number, number>): number | null =>
    reached.size < partitionCount ? null : Math.min(...reached.values())

  const writeAt = async (atMs: number): Promise<void> => {
    const cut = await stageCutAt(database, atMs, stage)
    assert(cut, 'an edition stands where something is known')
    for (const product of hourly) {
      const values = await product.valuesAt(database, cut, topic)
      await database.insert({
        table: product.table.name,
        columns: columnsOf(product.table),
        // Published at its instant: made anew from the log, it is the same row.
        rows: [[...values, atMs, atMs, 0, 0, 0, 0]],
        token: `${product.table.name} ${topic} ${atMs}`,
      })
    }
  }
  return {
    async write({ parts }) {
      if (hourly.length === 0) return
      const next = new Map(known)
      for (const { partition, ticks } of parts) {
        const last = ticks.at(-1)
        if (last) next.set(partition, last.tick.knownAtMs)
      }
      const [afterMs, toMs] = [reachedMs(known) ?? 0, reachedMs(next)]
      if (toMs !== null && Math.floor((toMs - 1) / finestMs) * finestMs >= afterMs) {
        const due = await database.query<{ editionAtMs: string }>(
          `SELECT editionAtMs FROM ${editionInstants(topic, { afterMs, toMs })} ORDER BY editionAtMs`,
        )
        for (const { editionAtMs } of due) await writeAt(Number(editionAtMs))
      }
      known = next
    },
  }
}
