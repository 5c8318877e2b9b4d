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

function* eventsOf(published: PublishedTick, { wireName, rows }: StreamedTypes): Generator<RowEvent> {
  const { tick } = published
  for (const { record, key, mark } of versionsOf(published)) {
    const shown = rows.get(key.recordType)
    if (!shown || !isEvent(record.record, shown, mark)) continue
    const { name, of, row, isBackfilled } = eventOf(record, { shown, key, tick, mark })
    if (isBackfilled) continue
    const ids = { chain: wireName, id: shown.idOf(record.key, key), at: key.atMs }
    const data = { type: name, ...(of === null ? {} : { of }), ...ids, knownAt: tick.knownAtMs, row }
    yield { offset: record.offset, name, data }
  }
}

/** A record with the key of its row. `mark`: the mark `Restated` about this row, or null if the record has none. */
type Version = Readonly<{ record: PublishedRecord; key: RowKey; mark: Restated | null }>

/**
 * Returns the records without the marks `Restated`. After a reorg, such a mark comes directly before the corrected
 * record.
 */
function* versionsOf({ stage, records }: PublishedTick): Generator<Version> {
  let last: Mark | null = null
  for (const published of records) {
    const record = published.record as MarkRecord
    if (record.type === 'Restated') {
      last = { token: published.key, record }
      continue
    }
    const key = record.type === 'Withdrawn' ? record.data : stage.rowKeyOf(published.record)
    const mark = last !== null && isAbout(last, { stage, token: published.key, key }) ? last.record : null
    yield { record: published, key, mark }
    last = null
  }
}

type Restated = Extract<MarkRecord, { type: 'Restated' }>
type Mark = Readonly<{ token: string; record: Restated }>

/**
 * Whether the mark is about the row. Records of some types are not read here, but their marks are. After such a mark comes
 * a record of another row.
 */
function isAbout(
  { token: markedToken, record: { data: marked } }: Mark,
  { stage, token, key }: Readonly<{ stage: Stage; token: string; key: RowKey }>,
): boolean {
  const isSameTime = marked.recordType === key.recordType && marked.atMs === key.atMs
  return markedToken === token && isSameTime && stage.rowNameOf(marked) === stage.rowNameOf(key)
}

/**
 * Whether the record is sent as an event. Every correction is an event, even if the corrected row was never
 * sent.
 */
const isEvent = (record: StageRecord, { isNews }: StreamedRows, mark: Restated | null): boolean =>
  mark !== null || record.type === 'Withdrawn' || (isNews?.(record) ?? true)

type Shown = Readonly<{
  shown: StreamedRows
  key: RowKey
  tick: Tick
  mark: Restated | null
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
