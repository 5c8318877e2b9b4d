/**
 * Converts the records of a tick into the events of their rows. An event depends only on the log, so it has the same
 * data whenever it is made.
 */
import { liveMs } from '../../infra/program.ts'
import type { MarkRecord, RowKey, Stage, StageRecord } from '../../schemas/stage.ts'
import { coinPriceOf, type Tick } from '../../schemas/tick.ts'
import type { StreamedRows, StreamPart } from '../stream-part.ts'
import type { PublishedRecord, PublishedTick } from './published-ticks.ts'

export type StreamedChain = Readonly<{ stage: Stage; stream: StreamPart }>

/** The event of one row. `offset`: the offset of the record of the row. */
type RowEvent = Readonly<{ offset: number; name: string; data: object }>

/** Returns the events of the records that a tick closes, in the order of the log. */
export type RowEvents = (published: PublishedTick) => Iterable<RowEvent>

export function createRowEvents({ stream }: StreamedChain): RowEvents {
  const rows = new Map(stream.rows.map((each) => [each.recordType, each]))
  return (published) => eventsOf(published, { wireName: stream.wireName, rows })
}

type StreamedTypes = Readonly<{ wireName: string; rows: ReadonlyMap<string, StreamedRows> }>

/**
 * Returns the events of the records that a tick closes. After a reorg, a record `Restated` comes directly
 * before the corrected record.
 */
function* eventsOf({ stage, tick, records }: PublishedTick, { wireName, rows }: StreamedTypes): Generator<RowEvent> {
  let mark: Extract<MarkRecord, { type: 'Restated' }> | null = null
  for (const published of records) {
    const record = published.record as MarkRecord
    if (record.type === 'Restated') {
      mark = record
      continue
    }
    const key = record.type === 'Withdrawn' ? record.data : stage.rowKeyOf(published.record)
    const shown = rows.get(key.recordType)
    if (shown && isEvent(published.record, shown, mark)) {
      const event = eventOf(published, { shown, key, tick, mark })
      const { name, of, row } = event
      const ids = { chain: wireName, id: shown.idOf(published.key, key), at: key.atMs }
      if (!event.isBackfilled)
        yield {
          offset: published.offset,
          name,
          data: { type: name, ...(of === null ? {} : { of }), ...ids, knownAt: tick.knownAtMs, row },
        }
    }
    mark = null
  }
}

/**
 * Whether the record is sent as an event. Every correction is an event, even if the corrected row was never
 * sent.
 */
const isEvent = (record: StageRecord, { isNews }: StreamedRows, mark: MarkRecord | null): boolean =>
  mark !== null || record.type === 'Withdrawn' || (isNews?.(record) ?? true)

type Shown = Readonly<{
  shown: StreamedRows
  key: RowKey
  tick: Tick
  mark: Extract<MarkRecord, { type: 'Restated' }> | null
}>

/**
 * Returns the event of a record. `of`: the event that a correction changes. Rows that became known long after they
 * happened are not sent. Corrections are always sent, even of rows that were never sent.
 */
function eventOf({ key: logKey, record, publishedAtMs }: PublishedRecord, { shown, key, tick, mark }: Shown) {
  if (record.type === 'Withdrawn') return { name: 'withdrawn', of: shown.event, row: null, isBackfilled: false }
  const supersedesAtMs = mark?.data.supersedesAtMs ?? null
  const isBackfilled = mark === null && tick.knownAtMs - key.atMs > liveMs
  const row = isBackfilled
    ? null
    : shown.rowOf({
        ...{ key: logKey, record, supersedesAtMs, knownAtMs: tick.knownAtMs, publishedAtMs },
        coinUsd: coinPriceOf(tick)?.usd ?? null,
      })
  return mark === null
    ? { name: shown.event, of: null, row, isBackfilled }
    : { name: 'restated', of: shown.event, row, isBackfilled }
}
