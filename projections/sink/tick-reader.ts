/** Reads one derived partition tick by tick. The rows of each tick are ready to insert. */

import type { SchemaCodec } from '../../infra/codec/schema-codec.ts'
import { isOperationError, OperationError } from '../../infra/errors.ts'
import type { LogReader } from '../../infra/log/log.ts'
import type { RecordBatch } from '../../infra/log/record-batch.ts'
import { isMark, isTick, type MarkRecord, type StageRecord } from '../../schemas/stage.ts'
import type { Tick } from '../../schemas/tick.ts'
import type { TopicName } from '../../schemas/topics.ts'
import type { EpochMs } from '../../schemas/units.ts'
import type { Projection, Row } from '../projection.ts'
import { type Correcting, restatements } from '../restatements.ts'
import { rowsOfSubjects } from '../subject-rows.ts'
import type { AnyTable } from '../table.ts'
import { ticks } from '../ticks.ts'

export type TickSource = Readonly<{
  log: LogReader
  codec: SchemaCodec<StageRecord>
  projection: Projection
  /** Ends the wait for records that are not in the log yet. */
  signal?: AbortSignal
}>

/** A tick, and the rows of all records that belong to it, in the order of the log. */
export type ClosedTick = Readonly<{
  tick: Tick
  /** The offset of the record after the tick. */
  nextOffset: number
  rows: readonly Readonly<{ table: AnyTable; values: readonly unknown[] }>[]
}>

export type TickReader = Readonly<{
  partition: number
  /**
   * Returns the next tick and its rows. Returns null if the log has no further committed tick. Records after
   * the last tick stay for the next call.
   */
  next(): Promise<ClosedTick | null>
  /** Returns the offset of the next record to read. Valid after `next` has returned null. */
  offset(): number
}>

type Place = Readonly<{ publishedAtMs: EpochMs; offset: number }>
type OpenRow = Readonly<{ row: Row; at: Place }>
type OpenMark = Readonly<{ correcting: Correcting; isWithdrawn: boolean; at: Place }>

const readBytesMax = 1 << 22
/** Every partition has the same ticks, so only the ticks of this partition become rows. */
const tickRowsPartition = 0

/**
 * Creates a reader. Its `next` fails with `record_corrupt` if a record cannot be decoded. The error names the
 * topic, partition and offset.
 */
export function createTickReader(source: TickSource, partition: number, fromOffset: number): TickReader {
  const { log, projection } = source
  const topic = projection.stage.derivedTopic.name
  const walk = createWalk(log, { topic, partition, offset: fromOffset })
  let open: OpenRow[] = []
  let marks: OpenMark[] = []
  let previous: Tick | null = null
  /**
   * The `supersedesAtMs` of the last record, if that record was a reorg mark. The mark belongs to the next
   * record.
   */
  let supersedesAtMs: EpochMs | null = null

  const close = (tick: Tick, at: Place): ClosedTick => {
    const where = { topic, partition, offset: at.offset }
    if (previous && (tick.seq <= previous.seq || tick.knownAtMs < previous.knownAtMs))
      throw corrupt(where, `tick ${tick.seq} must not follow tick ${previous.seq}`)
    previous = tick
    const stamped = (values: readonly unknown[], { publishedAtMs, offset }: Place, withdrawn: 0 | 1): unknown[] => [
      ...values,
      tick.knownAtMs,
      publishedAtMs,
      partition,
      offset,
      tick.seq,
      withdrawn,
    ]
    const context = { topic, logKey: '', supersedesAtMs: null }
    const rows: ClosedTick['rows'][number][] = lastVersions(open).flatMap(({ row, at }) =>
      [row, ...rowsOfSubjects(row, context)].map(({ table, values }) => ({
        table,
        values: stamped(values, at, row.isWithdrawn ? 1 : 0),
      })),
    )
    for (const { correcting, isWithdrawn, at } of marks)
      rows.push({
        table: restatements,
        values: stamped(restatements.valuesOf(correcting, context), at, isWithdrawn ? 1 : 0),
      })
    if (partition === tickRowsPartition)
      rows.push({ table: ticks, values: stamped(ticks.valuesOf(tick, context), at, 0) })
    open = []
    marks = []
    return { tick, nextOffset: at.offset + 1, rows }
  }

  const rowOf = (record: StageRecord, logKey: string): Row | null => {
    if (!isMark(record)) return projection.rowOf(record, { topic, logKey, supersedesAtMs })
    return record.type === 'Withdrawn' ? projection.withdrawnRow(record.data, logKey) : null
  }

  const keep = (record: StageRecord, logKey: string, at: Place) => {
    if (isMark(record)) {
      const correcting = correctingOf(projection, record, logKey)
      if (correcting !== null) marks.push({ correcting, isWithdrawn: record.type === 'Withdrawn', at })
    }
    const row = rowOf(record, logKey)
    supersedesAtMs = isMark(record) && record.type === 'Restated' ? record.data.supersedesAtMs : null
    if (!row) return
    if (!row.values.every(isStorable))
      throw corrupt({ topic, partition, offset: at.offset }, 'a number of the record is not finite')
    open.push({ row, at })
  }

  return {
    partition,
    offset: walk.offset,
    async next() {
      for (;;) {
        const found = await walk.next()
        if (!found) return null
        const [batch, at] = found
        const place = { publishedAtMs: batch.timestampMsAt(at), offset: batch.offsetAt(at) }
        const record = await decode(source.codec, batch.valueAt(at), { topic, partition, offset: place.offset })
        if (isTick(record)) return close(record.data, place)
        keep(record, batch.keyAt(at), place)
      }
    },
  }
}

/** Reads committed records one by one. */
function createWalk(log: LogReader, { topic, partition, offset: fromOffset }: Where) {
  let offset = fromOffset
  let batches: RecordBatch[] = []
  let index = 0
  return {
    /**
     * Returns the offset at which the current batch of records begins. When all records are read, this is the
     * offset of the next record.
     */
    offset: () => offset,
    async next(): Promise<readonly [RecordBatch, number] | null> {
      for (;;) {
        const batch = batches[0]
        if (batch && index < batch.count) return [batch, index++]
        if (batch) offset = batch.nextOffset
        batches.shift()
        index = 0
        if (batches.length > 0) continue
        batches = [...(await log.read({ topic, partition, offset }, { bytesMax: readBytesMax }))]
        if (batches.length === 0) return null
      }
    },
  }
}

/**
 * Returns the row that a reorg mark names, and the same row at its time before the reorg. Both are equal if
 * the reorg did not move the row. Returns null if no table has rows of this type.
 */
function correctingOf(projection: Projection, { type, data }: MarkRecord, token: string): Correcting | null {
  const row = projection.withdrawnRow(data, token)
  if (!row) return null
  const formerAtMs = type === 'Restated' ? data.supersedesAtMs : null
  const former = formerAtMs === null ? row : (projection.withdrawnRow({ ...data, atMs: formerAtMs }, token) ?? row)
  return { recordType: data.recordType, token, row, former }
}

/**
 * Keeps only the last version of each row of a tick. A version that is replaced within the same tick is never
 * visible to a query.
 */
function lastVersions(open: readonly OpenRow[]): readonly OpenRow[] {
  const last = new Map<string, OpenRow>()
  for (const one of open) last.set(`${one.row.table.name} ${one.row.table.keyTextOf(one.row.values)}`, one)
  return last.size === open.length ? open : [...last.values()]
}

type Where = Readonly<{ topic: TopicName; partition: number; offset: number }>

async function decode(codec: SchemaCodec<StageRecord>, value: Buffer | null, where: Where): Promise<StageRecord> {
  if (value === null) throw corrupt(where, 'the record has no value')
  try {
    return codec.decode(value)
  } catch (cause) {
    if (!isOperationError(cause, 'schema_unknown')) throw corrupt(where, messageOf(cause), cause)
  }
  try {
    await codec.load(value)
    return codec.decode(value)
  } catch (cause) {
    const isOfTheRecord = isOperationError(cause, 'schema_unknown') || isOperationError(cause, 'record_corrupt')
    throw isOfTheRecord ? corrupt(where, messageOf(cause), cause) : cause
  }
}

/**
 * Returns whether an insert can store the value. JSON would send NaN and infinity as null. ClickHouse would
 * store this null as 0 in a column without nulls.
 */
function isStorable(value: unknown): boolean {
  if (typeof value === 'number') return Number.isFinite(value)
  return typeof value !== 'object' || value === null || Object.values(value).every(isStorable)
}

const corrupt = (where: Where, reason: string, cause?: unknown) =>
  new OperationError(
    'record_corrupt',
    `${where.topic}/${where.partition} cannot be written to the tables at offset ${where.offset}: ${reason}`,
    { context: where, cause },
  )

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))
