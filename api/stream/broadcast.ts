/**
 * Converts the records that the service publishes into events for all clients of the stream. Each event is
 * serialised only one time for all clients.
 */
import { liveMs } from '../../infra/program.ts'
import type { MarkRecord, RowKey, Stage, StageRecord } from '../../schemas/stage.ts'
import { coinPriceOf, type Tick } from '../../schemas/tick.ts'
import type { DurationMs, EpochMs } from '../../schemas/units.ts'
import type { StreamedRows, StreamPart } from '../stream-part.ts'
import type { ByeReason } from './clients.ts'
import { createStreamCursor } from './cursor.ts'
import type { PublishedRecord, PublishedTick } from './feed.ts'
import { frameOf, retryFrame } from './frames.ts'

export type StreamedChain = Readonly<{ stage: Stage; stream: StreamPart }>

export type Broadcast = Readonly<{
  /** Sends the events of the records that one tick closes, in the order of the log. */
  onTick(published: PublishedTick): void
  /**
   * Sends an event with the state of every chain. So a client can distinguish a market without trades from a
   * broken stream.
   */
  heartbeat(): void
  /** Returns the first event of a connection. */
  helloFor(pass: Readonly<{ expiresAtMs: EpochMs }>): Buffer
}>

export const heartbeatMs = 15_000
/**
 * The minimum times between two watermark events of a chain, in ms. `watermarkMs` applies if the chain had
 * events after its last watermark. `quietWatermarkMs` applies if it had none.
 */
const watermarkMs = 1_000
const quietWatermarkMs = 5_000
/**
 * The maximum number of bytes that are sent together, and the pause after them in ms. A reorg can change
 * thousands of rows. Without the pause, many clients would count as too slow.
 */
const sendBytesMax = 64 * 1024
const sendPauseMs = 25

type Options = Readonly<{
  chains: readonly StreamedChain[]
  clients: Readonly<{ send(bytes: Buffer): void; count(): number }>
  nowMs: () => EpochMs
  /**
   * Runs the work after the delay. With a delay of 0, runs the work after the event loop has handled its
   * pending events. Default: timers.
   */
  later?: (work: () => void, delayMs: DurationMs) => void
}>

/**
 * The progress of a chain. `ticks`: the newest tick of each partition. A tick is the record that closes a
 * time step. `newsSeq`: the number of the tick with the chain's last event.
 */
type Progress = Readonly<{
  chain: StreamedChain
  rows: ReadonlyMap<string, StreamedRows>
  ticks: (Tick | undefined)[]
}> & { completeSeq: number; newsSeq: number; watermarkAtMs: EpochMs; watermarkSeq: number }

export function createBroadcast({ chains, clients, nowMs, later = timers }: Options): Broadcast {
  const position = createStreamCursor(chains.map(({ stage }) => stage))
  const progress = new Map(chains.map((chain) => [chain.stage.name, progressOf(chain)]))
  let waiting: Readonly<{ text: string; position: string }>[] = []
  let sentPosition = position.text()

  const send = () => {
    let text = ''
    let count = 0
    for (const frame of waiting) {
      if (count > 0 && text.length + frame.text.length > sendBytesMax) break
      text += frame.text
      sentPosition = frame.position
      count += 1
    }
    waiting = waiting.slice(count)
    if (waiting.length > 0) later(send, sendPauseMs)
    clients.send(Buffer.from(text))
  }
  const push = (name: string, data: object) => {
    if (clients.count() === 0) return
    const id = position.text()
    if (waiting.length === 0) later(send, 0)
    waiting.push({ text: frameOf({ name, id, data }), position: id })
  }
  const sendWatermark = (of: Progress) => {
    const tick = completeTickOf(of)
    if (tick === null || tick.seq === of.completeSeq) return
    of.completeSeq = tick.seq
    const sinceMs = nowMs() - of.watermarkAtMs
    const isBehindNews = of.newsSeq > of.watermarkSeq && of.newsSeq <= tick.seq
    if (sinceMs >= 0 && sinceMs < (isBehindNews ? watermarkMs : quietWatermarkMs)) return
    Object.assign(of, { watermarkAtMs: nowMs(), watermarkSeq: tick.seq })
    push('watermark', { type: 'watermark', at: nowMs(), chain: of.chain.stream.wireName, ...tickFieldsOf(tick) })
  }
  const statesOfChains = () =>
    Object.fromEntries(
      [...progress.values()].map((of) => {
        const tick = completeTickOf(of)
        return [of.chain.stream.wireName, tick && tickFieldsOf(tick)]
      }),
    )
  return {
    onTick(published) {
      const of = progress.get(published.stage.name)
      if (!of) return
      for (const { offset, name, data } of eventsOf(published, of)) {
        position.advance(published, offset + 1)
        of.newsSeq = published.tick.seq
        push(name, data)
      }
      position.advance(published, published.nextOffset)
      of.ticks[published.partition] = published.tick
      sendWatermark(of)
    },
    heartbeat: () => push('heartbeat', { type: 'heartbeat', at: nowMs(), chains: statesOfChains() }),
    helloFor({ expiresAtMs }) {
      const data = { type: 'hello', at: nowMs(), expiresAt: expiresAtMs, heartbeatMs, chains: statesOfChains() }
      const id = waiting.length === 0 ? position.text() : sentPosition
      return Buffer.from(retryFrame + frameOf({ name: 'hello', id, data }))
    },
  }
}

/** Returns the last event of a connection. It has no id, so a client that reconnects starts with new events. */
export const byeOf = (reason: ByeReason, atMs: EpochMs): Buffer =>
  Buffer.from(frameOf({ name: 'bye', data: { type: 'bye', at: atMs, reason } }))

const progressOf = (chain: StreamedChain): Progress => ({
  chain,
  rows: new Map(chain.stream.rows.map((rows) => [rows.recordType, rows])),
  ticks: Array<Tick | undefined>(chain.stage.derivedTopic.partitionCount).fill(undefined),
  completeSeq: -1,
  newsSeq: -1,
  watermarkAtMs: Number.NEGATIVE_INFINITY,
  watermarkSeq: -1,
})

/**
 * Returns the oldest among the newest ticks of the partitions. The chain is complete up to this tick. Returns null
 * while a partition has no tick.
 */
function completeTickOf({ ticks }: Progress): Tick | null {
  let oldest: Tick | null = null
  for (const tick of ticks) {
    if (tick === undefined) return null
    if (oldest === null || tick.seq < oldest.seq) oldest = tick
  }
  return oldest
}

const tickFieldsOf = ({ knownAtMs, blockNumber, blockAtMs }: Tick) => ({
  knownAt: knownAtMs,
  block: blockNumber,
  blockAt: blockAtMs,
})

type RowEvent = Readonly<{ offset: number; name: string; data: object }>

/**
 * Returns the events of the records that a tick closes. After a reorg, a record `Restated` comes directly
 * before the corrected record.
 */
function* eventsOf({ stage, tick, records }: PublishedTick, { chain, rows }: Progress): Generator<RowEvent> {
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
      const ids = { chain: chain.stream.wireName, id: shown.idOf(published.key, key), at: key.atMs }
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

const timers: NonNullable<Options['later']> = (work, delayMs) => {
  if (delayMs === 0) setImmediate(work)
  else setTimeout(work, delayMs)
}
