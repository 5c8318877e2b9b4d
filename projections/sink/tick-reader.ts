/** One derived partition as whole ticks, their rows ready to insert. */

import type { SchemaCodec } from '../../infra/codec/schema-codec.ts'
import { isOperationError, OperationError } from '../../infra/errors.ts'
import type { Log } from '../../infra/log/log.ts'
import type { RecordBatch } from '../../infra/log/record-batch.ts'
import type { ChainADerivedRecord } from '../../schemas/chain-a/derived.ts'
import type { Tick } from '../../schemas/tick.ts'
import type { TopicName } from '../../schemas/topics.ts'
import { type Row, rowOf, tickRow } from '../chain-a/rows.ts'
import type { VersionTable } from '../tables.ts'

export type TickSource = Readonly<{
  log: Log
  codec: SchemaCodec<ChainADerivedRecord>
  topic: TopicName
  partitionCount: number
}>

/** A tick and the rows of the records that it closes, in the order of the log. */
export type ClosedTick = Readonly<{
  tick: Tick
  /** Where the partition goes on after the tick. */
  nextOffset: number
  rows: readonly Readonly<{ table: VersionTable; values: readonly unknown[] }>[]
}>

export type TickReader = Readonly<{
  partition: number
  /** Null at the end of what is committed; records that no tick closes yet are kept for the next call. */
  next(): Promise<ClosedTick | null>
  /** Where the next record will stand. */
  offset(): number
}>

type OpenRecord = Exclude<ChainADerivedRecord, { type: 'Tick' }>
type OpenRow = Readonly<{ row: Row; publishedAtMs: number; offset: number }>

const bytesPerRead = 1 << 22
/** Ticks are the same in every partition; only this one's become rows. */
const tickRowsPartition = 0

/** Fails with `record_corrupt`, naming topic, partition and offset, for a record that cannot be read. */
export function createTickReader(source: TickSource, partition: number, fromOffset: number): TickReader {
  const { log, topic } = source
  let offset = fromOffset
  let batches: RecordBatch[] = []
  let index = 0
  let open: OpenRow[] = []
  let previous: Tick | null = null
  /** Of the mark just read, for the record behind it. */
  let supersedesAtMs: number | null = null

  const nextRecord = async (): Promise<readonly [RecordBatch, number] | null> => {
    for (;;) {
      const batch = batches[0]
      if (batch && index < batch.count) return [batch, index++]
      if (batch) offset = batch.nextOffset
      batches.shift()
      index = 0
      if (batches.length > 0) continue
      batches = [...(await log.read({ topic, partition, offset }, { bytesMax: bytesPerRead }))]
      if (batches.length === 0) return null
    }
  }

  const close = (tick: Tick, at: Readonly<{ publishedAtMs: number; offset: number }>): ClosedTick => {
    const where = { topic, partition, offset: at.offset }
    if (previous && (tick.seq <= previous.seq || tick.knownAtMs < previous.knownAtMs))
      throw corrupt(where, `tick ${tick.seq} follows tick ${previous.seq}`)
    previous = tick
    if (partition === tickRowsPartition) open.push({ row: tickRow(topic, tick), ...at })
    const rows = lastVersions(open).map(({ row, publishedAtMs, offset }) => ({
      table: row.table,
      values: [...row.values, tick.knownAtMs, publishedAtMs, partition, offset, tick.seq, row.isWithdrawn ? 1 : 0],
    }))
    open = []
    return { tick, nextOffset: at.offset + 1, rows }
  }

  const keep = (record: OpenRecord, token: string, at: Readonly<{ publishedAtMs: number; offset: number }>) => {
    const row = record.type === 'Restated' ? null : rowOf(record, { token, supersedesAtMs })
    supersedesAtMs = record.type === 'Restated' ? record.data.supersedesAtMs : null
    if (!row) return
    if (!row.values.every(isStorable))
      throw corrupt({ topic, partition, offset: at.offset }, 'a number that is not finite')
    open.push({ row, ...at })
  }

  return {
    partition,
    offset: () => offset,
    async next() {
      for (;;) {
        const found = await nextRecord()
        if (!found) return null
        const [batch, at] = found
        const place = { publishedAtMs: batch.timestampMsAt(at), offset: batch.offsetAt(at) }
        const record = await decode(source.codec, batch.valueAt(at), { topic, partition, offset: place.offset })
        if (record.type === 'Tick') return close(record.data, place)
        keep(record, batch.keyAt(at), place)
      }
    },
  }
}

/** A version replaced within its own tick can be seen at no cut: only the last one of each row is written. */
function lastVersions(open: readonly OpenRow[]): readonly OpenRow[] {
  const last = new Map<string, OpenRow>()
  for (const row of open) last.set(`${row.row.table} ${row.row.key}`, row)
  return last.size === open.length ? open : [...last.values()]
}

type Where = Readonly<{ topic: TopicName; partition: number; offset: number }>

async function decode(
  codec: SchemaCodec<ChainADerivedRecord>,
  value: Buffer | null,
  where: Where,
): Promise<ChainADerivedRecord> {
  if (value === null) throw corrupt(where, 'a record without a value')
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

/** JSON has no NaN or infinity: they would arrive as null, and null in a column without nulls as 0. */
function isStorable(value: unknown): boolean {
  if (typeof value === 'number') return Number.isFinite(value)
  return typeof value !== 'object' || value === null || Object.values(value).every(isStorable)
}

const corrupt = (where: Where, reason: string, cause?: unknown) =>
  new OperationError(
    'record_corrupt',
    `${where.topic}, partition ${where.partition}, offset ${where.offset} cannot be projected: ${reason}`,
    { context: where, cause },
  )

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))
