/**
 * The records of one partition, grouped by the instant at which they became known. The next tick after a record gives
 * this instant.
 */
import { isTick, type TickRecord } from '../../schemas/stage.ts'
import type { Tick } from '../../schemas/tick.ts'
import type { BlockNumber } from '../../schemas/units.ts'
import { OperationError } from '../errors.ts'
import type { RecordBatch } from '../log/record-batch.ts'
import { loadSchemas, type TypedPartition } from '../log/scan.ts'
import { unbrokenFrom } from '../log/unbroken.ts'
import { timeText } from './times.ts'

/** A record that is not decoded yet. */
export type StoredRecord = Readonly<{ batch: RecordBatch; index: number; type: string }>

export type Instant = Readonly<{
  knownAt: number
  /** The records of the wanted types, in the order of the log, without ticks. */
  records: readonly (StoredRecord & Readonly<{ tickBlock: BlockNumber }>)[]
  /** The ticks of the instant. Several ticks can have the same `knownAtMs`. */
  ticks: readonly Readonly<{ tick: Tick; stored: StoredRecord }>[]
  /** The offset of the partition after this instant. */
  nextOffset: number
}>

export type Range = Readonly<{
  /**
   * The start of the range, inclusive, in epoch ms. It is compared with the time at which the service knew a
   * record.
   */
  from: number
  /**
   * The end of the range, exclusive, in epoch ms. It is compared with the time at which the service knew a
   * record.
   */
  to: number
}>

type WantedRecords = Readonly<{ fromOffset: number; types: ReadonlySet<string>; signal: AbortSignal }>
/** `isWhole`: the log ends with the last tick of the range, as files do. */
type Wanted = Range & WantedRecords & Readonly<{ isWhole?: boolean }>

/**
 * Yields the instants in the range, oldest first. An instant has the records that became known at the same
 * time. `fromOffset` must be before all of them. The log must hold a tick with a `knownAtMs` of `to` or
 * later, if it is not whole. Fails with `range_not_held` if retention deletes records before they are read.
 */
export async function* instantsOf(source: TypedPartition, wanted: Wanted): AsyncGenerator<Instant> {
  const { from, to, signal, isWhole = false } = wanted
  let pending: Instant | null = null
  for await (const closed of ticksOf(source, wanted)) {
    const { knownAtMs } = closed.tick
    if (pending !== null && pending.knownAt !== knownAtMs) {
      yield pending
      pending = null
    }
    if (knownAtMs >= to) return
    if (knownAtMs >= from) pending = joined(pending, closed)
  }
  if (isWhole && pending !== null) yield pending
  if (!isWhole && !signal.aborted)
    throw new OperationError(
      'log_failed',
      `${source.topic}/${source.partition} ended before the end of the replayed range, ${timeText(to)}`,
    )
}

/** A tick with its records: the wanted records between the previous tick and this tick. */
export type Closed = Readonly<{
  tick: Tick
  stored: StoredRecord
  records: readonly StoredRecord[]
  nextOffset: number
}>

function joined(instant: Instant | null, { tick, stored, records, nextOffset }: Closed): Instant {
  const closed = records.map((record) => ({ ...record, tickBlock: tick.blockNumber }))
  return {
    knownAt: tick.knownAtMs,
    records: instant === null ? closed : [...instant.records, ...closed],
    ticks: [...(instant?.ticks ?? []), { tick, stored }],
    nextOffset,
  }
}

/** Yields the ticks from an offset on, each with its records. Ends at the end of the partition. */
export async function* ticksOf(source: TypedPartition, wanted: WantedRecords): AsyncGenerator<Closed> {
  let records: StoredRecord[] = []
  for await (const batch of unbroken(source, wanted))
    for (let index = 0; index < batch.count; index++) {
      const stored = { batch, index, type: source.codec.typeOf(batch.valueAt(index) as Buffer) }
      if (stored.type === 'Tick') {
        yield { tick: tickIn(source, stored).data, stored, records, nextOffset: batch.offsetAt(index) + 1 }
        records = []
      } else if (wanted.types.has(stored.type)) records.push(stored)
    }
}

function tickIn({ codec }: TypedPartition, { batch, index }: StoredRecord): TickRecord {
  const record = codec.decode(batch.valueAt(index) as Buffer)
  if (!isTick(record))
    throw new OperationError('record_corrupt', 'a record has the type Tick, but its content is not a tick')
  return record
}

async function* unbroken(source: TypedPartition, { fromOffset, signal }: WantedRecords): AsyncGenerator<RecordBatch> {
  const { log, topic, partition } = source
  const loadedIds = new Set<number>()
  for await (const batch of unbrokenFrom(log, { topic, partition, offset: fromOffset }, { signal })) {
    await loadSchemas(source, batch, loadedIds)
    yield batch
  }
}
