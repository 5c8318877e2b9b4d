/** Writes the records of one partition and day to a file, and describes the file for the manifest. */
import { createHash } from 'node:crypto'
import { mkdir, stat, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { hashOf } from '../backup/files.ts'
import type { Closed, StoredRecord } from '../replay/instants.ts'
import { placeOf } from '../replay/read-replay.ts'
import type { FiledRecord, TopicColumns } from './columns.ts'
import type { Day } from './days.ts'
import { type DayPartition, ticksOfDay } from './find-day.ts'
import type { FiledPartition } from './manifest.ts'
import { canonicalRow, createParquetFile } from './parquet-file.ts'

export type Writing = Readonly<{
  /** The folder in which the folders of the topics are created. */
  folder: string
  day: Day
  columns: TopicColumns
  /** The rights of folders. */
  mode: number
  signal: AbortSignal
  /** Called with each tick and its records. */
  onTick(closed: Closed): void
}>

const partitionPath = (topic: string, day: string, partition: number): string =>
  `topic=${topic}/day=${day}/part-${partition}.parquet`

export async function writePartition(source: DayPartition, writing: Writing): Promise<FiledPartition> {
  const { folder, day, columns, mode, signal, onTick } = writing
  const { topic, partition } = source.source
  const path = partitionPath(topic, day.name, partition)
  const file = join(folder, path)
  await mkdir(dirname(file), { recursive: true, mode })
  // The file exists before the package opens it, because the package would give it the rights of a public file.
  await writeFile(file, '', { mode: mode & 0o666 })
  const parquet = await createParquetFile(file, columns.columns)
  const rowsHash = createHash('sha256')
  const summary = summarize()
  for await (const closed of ticksOfDay(source, signal)) {
    onTick(closed)
    for (const record of filedRecordsOf(source, closed)) {
      const row = columns.rowOf(record)
      rowsHash.update(`${canonicalRow(row)}\n`)
      parquet.add(row)
      summary.add(record)
    }
  }
  parquet.finish()
  const { fromOffset, endOffset: nextOffset } = source
  return {
    ...{ path, topic, partition, fromOffset, nextOffset },
    ...summary.get(),
    bytes: (await stat(file)).size,
    fileSha256: await hashOf(file, signal),
    rowsSha256: rowsHash.digest('hex'),
  }
}

/** The records of a tick and the tick, in the order of the log. */
export function* filedRecordsOf(source: DayPartition, closed: Closed): Generator<FiledRecord> {
  for (const record of closed.records) yield filedRecord(source, closed, record)
  yield filedRecord(source, closed, closed.stored)
}

function filedRecord(source: DayPartition, { tick }: Closed, { batch, index, type }: StoredRecord): FiledRecord {
  const { topic, partition, codec } = source.source
  const value = batch.valueAt(index) as Buffer
  const record = codec.decode(value)
  return {
    ...{ topic, partition, type, value, data: record.data },
    offset: batch.offsetAt(index),
    key: batch.keyAt(index),
    eventAt: placeOf(source, record, tick.blockNumber).eventAt,
    knownAt: tick.knownAtMs,
    publishedAt: batch.timestampMsAt(index),
  }
}

/** Makes a summary to which records are added: their number and bytes, and the offsets and times of the first and the last. */
export function summarize() {
  let [rows, logBytes] = [0, 0]
  let first: FiledRecord | null = null
  let last: FiledRecord | null = null
  return {
    add(record: FiledRecord) {
      rows++
      logBytes += record.value.length + Buffer.byteLength(record.key)
      first ??= record
      last = record
    },
    get: () => ({
      ...{ rows, logBytes },
      ...{ firstOffset: first?.offset ?? null, lastOffset: last?.offset ?? null },
      ...{ firstKnownAt: first?.knownAt ?? null, lastKnownAt: last?.knownAt ?? null },
    }),
  }
}
