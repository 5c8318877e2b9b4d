/**
 * Writes batches of whole ticks. Each row is in its table exactly one time, even if the process is stopped at
 * any point.
 * 1. A batch is announced with its bounds: a watermark in the state `planned`.
 * 2. The rows of the batch are inserted with deduplication tokens that are made from these bounds.
 * 3. The batch is confirmed: a watermark in the state `done`.
 *
 * A batch that was announced but not confirmed is written again with the same bounds. ClickHouse then
 * discards the inserts that had already arrived, because their deduplication tokens are the same.
 */

import assert from 'node:assert/strict'
import type { Database } from '../../infra/clickhouse/database.ts'
import { crashPoint } from '../../infra/crash-points.ts'
import type { TopicName } from '../../schemas/topics.ts'
import type { EpochMs } from '../../schemas/units.ts'
import { type Projection, tablesOf } from '../projection.ts'
import { type LastKnown, lastKnownOf } from '../recent-writes.ts'
import { type AnyTable, columnsOf } from '../table.ts'
import { textOfTick } from '../ticks.ts'
import { watermarkColumns, watermarkTable } from '../watermarks.ts'
import type { ClosedTick } from './tick-reader.ts'

/** One or more consecutive ticks of one partition. `lastKnown` tells of the rows up to the last of these ticks. */
export type PartitionTicks = Readonly<{ partition: number; ticks: readonly ClosedTick[]; lastKnown: LastKnown }>

export type Batch = Readonly<{ projection: Projection; parts: readonly PartitionTicks[] }>

export type Progress = Readonly<{
  /** The last tick whose batch was confirmed. Null if no batch was confirmed yet. */
  done: Readonly<{ seq: number; knownAtMs: EpochMs; nextOffset: number; lastKnown: LastKnown }> | null
  /**
   * The sequence number of the last tick of a batch that was announced but not confirmed. Null if there is no
   * such batch.
   */
  plannedSeq: number | null
}>

/**
 * The maximum number of rows of an insert. ClickHouse divides a larger insert into blocks, and a
 * deduplication token covers only one block. This number must never change, because a batch that an earlier
 * program version began must be divided at the same rows. Otherwise ClickHouse would discard rows that were
 * not inserted yet.
 */
const rowsPerInsert = 50_000

/**
 * Writes a batch. After a failure, it is safe to call this function again with the same batch.
 * `writeEditions` writes hourly results. It runs after the rows are inserted and before the watermark that
 * makes the rows visible.
 */
export async function writeBatch(
  database: Database,
  batch: Batch,
  writeEditions: (batch: Batch) => Promise<void>,
): Promise<void> {
  await writeWatermarks(database, batch, 'planned')
  crashPoint('sink-planned')
  const bounds = boundsOf(batch)
  for (const table of tablesOf([batch.projection])) {
    const rows = rowsOf(batch, table)
    for (let from = 0; from < rows.length; from += rowsPerInsert) {
      await database.insert({
        table: table.name,
        columns: columnsOf(table),
        rows: rows.slice(from, from + rowsPerInsert),
        token: `${table.name} ${topicOf(batch)} ${bounds} ${from}`,
      })
      crashPoint('sink-table-written')
    }
  }
  await writeEditions(batch)
  crashPoint('sink-before-done')
  await writeWatermarks(database, batch, 'done')
  crashPoint('sink-after-done')
}

/** Returns the progress of each partition. Partitions for which no batch was ever announced are missing. */
export async function readProgress(database: Database, topic: TopicName): Promise<ReadonlyMap<number, Progress>> {
  const rows = await database.query<{
    partition: number
    lastSeq: string
    doneCount: string
    doneSeq: string
    knownAtMs: string
    nextOffset: string
    lastKnown: Readonly<Record<string, string>>
  }>(
    `SELECT log_partition AS partition, max(seq) AS lastSeq, countIf(state = 'done') AS doneCount,
       maxIf(seq, state = 'done') AS doneSeq, maxIf(known_at_ms, state = 'done') AS knownAtMs,
       argMaxIf(next_offset, seq, state = 'done') AS nextOffset, argMaxIf(last_known, seq, state = 'done') AS lastKnown
     FROM ${watermarkTable} WHERE topic = {topic:String} GROUP BY log_partition`,
    { topic },
  )
  return new Map(
    rows.map(({ partition, lastSeq, doneCount, doneSeq, knownAtMs, nextOffset, lastKnown }) => {
      const isDone = Number(doneCount) > 0
      const done = isDone
        ? {
            ...{ seq: Number(doneSeq), knownAtMs: Number(knownAtMs), nextOffset: Number(nextOffset) },
            lastKnown: lastKnownOf([lastKnown]),
          }
        : null
      const isAllDone = done !== null && Number(lastSeq) <= done.seq
      return [partition, { done, plannedSeq: isAllDone ? null : Number(lastSeq) }]
    }),
  )
}

const topicOf = ({ projection }: Batch): TopicName => projection.stage.derivedTopic.name

const lastOf = ({ ticks }: PartitionTicks): ClosedTick => {
  const last = ticks.at(-1)
  assert(last, 'a batch must have at least one tick of each of its partitions')
  return last
}

const boundsOf = ({ parts }: Batch): string =>
  parts.map((part) => `${part.partition}:${part.ticks[0]?.tick.seq}-${lastOf(part).tick.seq}`).join(',')

const rowsOf = ({ parts }: Batch, table: AnyTable): readonly (readonly unknown[])[] => {
  const rows: (readonly unknown[])[] = []
  for (const { ticks } of parts)
    for (const tick of ticks) for (const row of tick.rows) if (row.table === table) rows.push(row.values)
  return rows
}

function writeWatermarks(database: Database, batch: Batch, state: 'planned' | 'done'): Promise<void> {
  return database.insert({
    table: watermarkTable,
    columns: watermarkColumns,
    rows: batch.parts.map((part) => {
      const { tick, nextOffset } = lastOf(part)
      const [lastKnown, lastTick] = state === 'done' ? [part.lastKnown, textOfTick(tick, topicOf(batch))] : [{}, '']
      return [topicOf(batch), part.partition, state, tick.seq, tick.knownAtMs, nextOffset, lastKnown, lastTick]
    }),
  })
}
