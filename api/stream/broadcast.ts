/** Ticks become events: what all clients of the stream are sent, each event written once for all of them. */
import { liveMs } from '../../infra/program.ts'
import type { MarkRecord, RowKey, Stage, StageRecord } from '../../schemas/stage.ts'
import { coinPriceOf, type Tick } from '../../schemas/tick.ts'
import type { StreamedRows, StreamPart } from '../stream-part.ts'
import type { ByeReason } from './clients.ts'
import type { PublishedRecord, PublishedTick } from './feed.ts'
import { frameOf, retryFrame } from './frames.ts'
import { createPosition } from './position.ts'

export type StreamedChain = Readonly<{ stage: Stage; stream: StreamPart }>

export type Broadcast = Readonly<{
  /** Sends the events of a tick, in the order of the log. */
  onTick(published: PublishedTick): void
  /** Tells of the newest tick of every chain, so that silence is not taken for quiet. */
  heartbeat(): void
  /** The first event of a connection. */
  helloFor(pass: Readonly<{ expiresAtMs: number }>): Buffer
}>

export const heartbeatMs = 15_000
/** After events, and while there are none. */
const watermarkMs = 1_000
const quietWatermarkMs = 5_000
/** What is sent at once, and the pause before the rest: a reorg can restate thousands of rows, which no client is slow for. */
const sendBytesMax = 64 * 1024
const sendPauseMs = 25

type Options = Readonly<{
  chains: readonly StreamedChain[]
  clients: Readonly<{ send(bytes: Buffer): void; count(): number }>
  nowMs: () => number
  /** Runs the work after so long; 0: once what has arrived is handled. Default: timers. */
  later?: (work: () => void, delayMs: number) => void
}>

/** How far a chain is, by partition; `newsSeq`: the tick of its last event. */
type Progress = Readonly<{
  chain: StreamedChain
  rows: ReadonlyMap<string, StreamedRows>
  ticks: (Tick | undefined)[]
}> & { completeSeq: number; newsSeq: number; watermarkAtMs: number; watermarkSeq: number }

export function createBroadcast({ chains, clients, nowMs, later = timers }: Options): Broadcast {
  const position = createPosition(chains.map(({ stage }) => stage))
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
    push('watermark', { type: 'watermark', at: nowMs(), chain: of.chain.stream.wireName, ...toldOf(tick) })
  }
  const statesOfChains = () =>
    Object.fromEntries(
      [...progress.values()].map((of) => {
        const tick = completeTickOf(of)
        return [of.chain.stream.wireName, tick && toldOf(tick)]
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

/** Without an id: a client that connects again starts with what is new. */
export const byeOf = (reason: ByeReason, atMs: number): Buffer =>
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

/** The oldest of the newest ticks of the partitions; null while one was not heard of yet. */
function completeTickOf({ ticks }: Progress): Tick | null {
  let oldest: Tick | null = null
  for (const tick of ticks) {
    if (tick === undefined) return null
    if (oldest === null || tick.seq < oldest.seq) oldest = tick
  }
  return oldest
}

const toldOf = ({ knownAtMs, blockNumber, blockAtMs }: Tick) => ({
  knownAt: knownAtMs,
  block: blockNumber,
  blockAt: blockAtMs,
})

type RowEvent = Readonly<{ offset: number; name: string; data: object }>

/** The events of the records that a tick closes. A mark stands right before the record that it announces. */
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
    if (shown && isTold(published.record, shown, mark)) {
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

/** A correction is told of whatever it corrects. */
const isTold = (record: StageRecord, { isNews }: StreamedRows, mark: MarkRecord | null): boolean =>
  mark !== null || record.type === 'Withdrawn' || (isNews?.(record) ?? true)

type Shown = Readonly<{
  shown: StreamedRows
  key: RowKey
  tick: Tick
  mark: Extract<MarkRecord, { type: 'Restated' }> | null
}>

/** `of`: what a correction corrects. What a backfill tells is no news; corrections are sent, also of rows that were none. */
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
