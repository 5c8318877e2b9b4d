/**
 * Converts the records that the service publishes into events for all clients of the stream. Each event is
 * serialised only one time for all clients.
 */
import type { Tick } from '../../schemas/tick.ts'
import type { DurationMs, EpochMs } from '../../schemas/units.ts'
import type { ByeReason } from './clients.ts'
import { createStreamCursor, type Place } from './cursor.ts'
import { frameOf, retryFrame } from './frames.ts'
import type { PublishedTick } from './published-ticks.ts'
import { createRowEvents, type RowEvents, type StreamedChain } from './row-events.ts'

export type Broadcast = Readonly<{
  /** Sets the offset of a partition before its first tick. */
  onStart(place: Place, offset: number): void
  /** Sends the events of the records that one tick closes, in the order of the log. */
  onTick(published: PublishedTick): void
  /**
   * Sends an event with the state of every chain. So a client can distinguish a market without trades from a
   * broken stream.
   */
  heartbeat(): void
  /**
   * Returns the cursor of what was sent to the clients. Events that wait to be sent are after this cursor, even if
   * their ticks were read.
   */
  position(): string
  /**
   * Returns the first event of a connection. `cursor`: its id. So a client that gets nothing else resumes there.
   * Default: `position`.
   */
  helloFor(pass: Readonly<{ expiresAtMs: EpochMs }>, cursor?: string): Buffer
  /** Returns a heartbeat for one client that gets earlier events again. `cursor`: the progress of this client. */
  heartbeatAt(cursor: string): Buffer
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
  rowEvents: RowEvents
  ticks: (Tick | undefined)[]
}> & { completeSeq: number; newsSeq: number; watermarkAtMs: EpochMs; watermarkSeq: number }

export function createBroadcast({ chains, clients, nowMs, later = timers }: Options): Broadcast {
  const position = createStreamCursor(chains.map(({ stage }) => stage))
  const progress = new Map(chains.map((chain) => [chain.stage.name, progressOf(chain)]))
  let waiting: Readonly<{ text: string; position: string }>[] = []
  let sentPosition = position.text()

  const sent = () => (waiting.length === 0 ? position.text() : sentPosition)
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
  /** `before`: what was sent so far, without the event. */
  const push = (name: string, data: object, before = sent()) => {
    // While earlier events wait, the next ones must wait behind them. Otherwise a client that joins now would miss them.
    if (clients.count() === 0 && waiting.length === 0) return
    sentPosition = before
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
  const heartbeat = () => ({ type: 'heartbeat', at: nowMs(), chains: statesOfChains() })
  return {
    onStart: position.advance,
    onTick(published) {
      const of = progress.get(published.stage.name)
      if (!of) return
      for (const { offset, name, data } of of.rowEvents(published)) {
        const before = sent()
        position.advance(published, offset + 1)
        of.newsSeq = published.tick.seq
        push(name, data, before)
      }
      position.advance(published, published.nextOffset)
      of.ticks[published.partition] = published.tick
      sendWatermark(of)
    },
    heartbeat: () => push('heartbeat', heartbeat()),
    heartbeatAt: (cursor) => Buffer.from(frameOf({ name: 'heartbeat', id: cursor, data: heartbeat() })),
    position: sent,
    helloFor({ expiresAtMs }, id = sent()) {
      const data = { type: 'hello', at: nowMs(), expiresAt: expiresAtMs, heartbeatMs, chains: statesOfChains() }
      return Buffer.from(retryFrame + frameOf({ name: 'hello', id, data }))
    },
  }
}

/** Returns the last event of a connection. It has no id, so a client that reconnects starts with new events. */
export const byeOf = (reason: ByeReason, atMs: EpochMs): Buffer =>
  Buffer.from(frameOf({ name: 'bye', data: { type: 'bye', at: atMs, reason } }))

const progressOf = (chain: StreamedChain): Progress => ({
  chain,
  rowEvents: createRowEvents(chain),
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

const timers: NonNullable<Options['later']> = (work, delayMs) => {
  if (delayMs === 0) setImmediate(work)
  else setTimeout(work, delayMs)
}
