/**
 * Writes the editions (results computed every hour) that are due with a batch. They are written after the
 * rows of the batch and before the watermark that makes these rows visible.
 */
import assert from 'node:assert/strict'
import type { Database } from '../../infra/clickhouse/database.ts'
import type { EpochMs } from '../../schemas/units.ts'
import { reachAt, ticksSince } from '../at-cut.ts'
import { stageCutsAt } from '../cuts.ts'
import { type EditionInstant, type EditionsOfTicks, editionsUntil, type KnownBlock } from '../edition-instants.ts'
import type { Projection } from '../projection.ts'
import { columnsOf } from '../table.ts'
import type { Batch, Progress } from './write-batch.ts'

export type EditionWriter = Readonly<{
  /**
   * Writes the editions (hourly results) that are due with the batch. The same batch always writes the same
   * editions, so a repeat is safe.
   */
  write(batch: Batch): Promise<void>
}>

type Options = Readonly<{
  projection: Projection
  database: Pick<Database, 'query' | 'insert'>
  /** The progress of each partition of the stage's derived topic. The progress comes from the watermarks. */
  progress: ReadonlyMap<number, Progress>
}>

/** Only the ticks of this partition become rows. `tick-reader.ts` uses the same partition. */
const tickRowsPartition = 0

export function createEditionWriter({ projection, database, progress }: Options): EditionWriter {
  const { stage, hourly } = projection
  const { name: topic, partitionCount } = stage.derivedTopic
  let known = new Map<number, number>()
  for (const [partition, { done }] of progress) if (done) known.set(partition, done.knownAtMs)
  /**
   * The ticks that decide which editions (hourly results) are due. Null as long as they have not been read
   * from the tables.
   */
  let ticks: EditionsOfTicks | null = null

  /**
   * Returns the newest `knownAtMs` that all partitions have reached. Returns null if a partition has no tick
   * yet.
   */
  const reachedMs = (reached: ReadonlyMap<number, number>): EpochMs | null =>
    reached.size < partitionCount ? null : Math.min(...reached.values())

  const reachedWith = (parts: Batch['parts']): Map<number, number> => {
    const reached = new Map(known)
    for (const { partition, ticks } of parts) {
      const last = ticks.at(-1)
      if (last) reached.set(partition, last.tick.knownAtMs)
    }
    return reached
  }

  const writeAt = async ({ coveredUntilMs, knownAtMs }: EditionInstant): Promise<void> => {
    const found = (await stageCutsAt(database, knownAtMs, [stage])).get(stage.name)
    assert(found, 'the stage has no cut at the instant of the edition')
    for (const product of hourly) {
      const values = await product.valuesAt(database, { ...found, blockAtMs: coveredUntilMs }, topic)
      await database.insert({
        table: product.table.name,
        columns: columnsOf(product.table),
        // `knownAtMs` is also used as the publication time, so a rebuild from the log makes the same row.
        rows: [[...values, knownAtMs, knownAtMs, 0, 0, 0, 0]],
        token: `${product.table.name} ${topic} ${coveredUntilMs} ${knownAtMs}`,
      })
    }
  }
  /** Reads the ticks from the tables. The rows of the batch must be in the tables before this call. */
  const readTicks = async (fromMs: EpochMs): Promise<EditionsOfTicks> => {
    const [before] = await database.query<{ firstBlockAtMs: string; newestBlockAtMs: string; tickCount: string }>(
      `SELECT * FROM ${reachAt(topic, fromMs - 1)}`,
    )
    const waiting = await database.query<{ knownAtMs: string; blockAtMs: string }>(
      `SELECT * FROM ${ticksSince(topic, fromMs)}`,
    )
    return {
      reach:
        before && Number(before.tickCount) > 0
          ? { firstBlockAtMs: Number(before.firstBlockAtMs), newestBlockAtMs: Number(before.newestBlockAtMs) }
          : null,
      waiting: waiting.map(({ knownAtMs, blockAtMs }) => ({
        ...{ knownAtMs: Number(knownAtMs), blockAtMs: Number(blockAtMs) },
      })),
    }
  }
  return {
    async write({ parts }) {
      if (hourly.length === 0) return
      const reached = reachedWith(parts)
      const all = ticks
        ? { ...ticks, waiting: [...ticks.waiting, ...ticksOf(parts)] }
        : // The last tick is counted again, because an earlier version wrote its edition only with the next tick.
          await readTicks(reachedMs(known) ?? 0)
      const { due, next } = editionsUntil(reachedMs(reached) ?? -1, all)
      for (const edition of due) await writeAt(edition)
      // `known` and `ticks` are set last. If a write fails, the same batch is written again with the old
      // values.
      known = reached
      ticks = next
    },
  }
}

const ticksOf = (parts: Batch['parts']): readonly KnownBlock[] =>
  parts.filter(({ partition }) => partition === tickRowsPartition).flatMap((part) => part.ticks.map(({ tick }) => tick))
