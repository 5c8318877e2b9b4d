/** Reads one partition from its leader, without a group: committed records only. */
import { setTimeout as delay } from 'node:timers/promises'
import type { TopicName } from '../../schemas/topics.ts'
import { OperationError } from '../errors.ts'
import { offsetOutOfRange } from '../log/append.ts'
import { offsetAfter, type PackedBlock, RecordBatch } from '../log/record-batch.ts'
import { committedBatches } from './batches/committed-batches.ts'
import { packBatch, type StoredBatch, storedBatches } from './batches/decode-batch.ts'
import { tryAgain } from './broker-errors.ts'
import { type FetchAnswer, fetchCall } from './calls/fetch-call.ts'
import type { Connections } from './connections.ts'
import type { Directory } from './directory.ts'
import { createErrorFromCode } from './kafkajs-parts.ts'
import type { LastEnds } from './last-transaction.ts'

export type Cluster = Readonly<{
  connections: Connections
  directory: Directory
  topicPrefix: string
  /** How long reading goes on while no broker answers. */
  patienceMs: number
  appended: Appended
  lastEnds: LastEnds
}>

/**
 * What this process has appended to each partition, by the topic's full name: the offset after it. A broker says that a
 * transaction is committed some milliseconds before it lets readers see it; who reads here must not miss it.
 */
export type Appended = Readonly<{
  note(topic: string, partition: number, nextOffset: number): void
  endOf(topic: string, partition: number): number
}>

export function createAppended(): Appended {
  const ends = new Map<string, number>()
  const idOf = (topic: string, partition: number) => `${topic}/${partition}`
  return {
    note: (topic, partition, nextOffset) => {
      const id = idOf(topic, partition)
      ends.set(id, Math.max(ends.get(id) ?? 0, nextOffset))
    },
    endOf: (topic, partition) => ends.get(idOf(topic, partition)) ?? 0,
  }
}

export type PartitionId = Readonly<{ topic: TopicName; partition: number }>

export type Fetched = Readonly<{
  blocks: readonly PackedBlock[]
  /** Everything before it was looked at: rolled back records and the marks of transactions take offsets too. */
  nextOffset: number
  lastStableOffset: number
}>

type ReadOptions = Readonly<{ bytesMax: number; signal?: AbortSignal }>

/** Where a fetched run of offsets begins; for a reader that comes for what a waiting one was already sent. */
type Sent = Fetched & Readonly<{ fromOffset: number }>

const earliest = -2
const latest = -1
const offsetOutOfRangeCode = 1
/** Looking for the last record begins this far from the end: most often it stands right before its transaction's mark. */
const firstStepBack = 2
const stepGrowth = 16
const markPauseMs = 1

export class PartitionReader {
  readonly #cluster: Cluster
  readonly #id: PartitionId
  readonly #name: string
  /** Offsets with nothing committed in them, the last run that was met. */
  #gap = { fromOffset: 0, nextOffset: 0 }
  #sent: Sent | null = null
  #end = { recordOffset: 0, scannedOffset: 0 }
  /** The newest end of this process's own that could not be read when it was looked for, and since when. */
  #behind = { ownOffset: 0, sinceMs: 0 }

  constructor(cluster: Cluster, id: PartitionId) {
    this.#cluster = cluster
    this.#id = id
    this.#name = cluster.topicPrefix + id.topic
  }

  /** As `Log.read`. */
  async read(offset: number, options: ReadOptions): Promise<readonly RecordBatch[]> {
    const kept = this.#keptFrom(this.#skipGap(offset), options.bytesMax)
    if (kept.batches.length > 0) return kept.batches
    let at = kept.nextOffset
    for (;;) {
      const fetched = await this.#fetchPatiently(at, options)
      if (fetched === null) return []
      const batches = batchesFrom(fetched.blocks, { offset, bytesMax: Number.POSITIVE_INFINITY })
      if (batches.length > 0) return batches
      if (fetched.nextOffset > at) at = fetched.nextOffset
      else if (!(await this.#isBehindOwn(at, fetched.lastStableOffset))) {
        if (at > fetched.lastStableOffset) throw offsetOutOfRange(this.#id.topic, at, fetched.lastStableOffset)
        this.#noteGap(offset, at)
        return []
      } else if (options.signal?.aborted) return []
    }
  }

  /** One request. `purpose` names the connection: a request that waits holds up all that follow on the same one. */
  async fetch(
    offset: number,
    { bytesMax, waitMs, purpose = 'read' }: Readonly<{ bytesMax: number; waitMs: number; purpose?: string }>,
  ): Promise<Fetched> {
    const { connections, directory } = this.#cluster
    const { partition } = this.#id
    const lane = connections.lane(purpose, await directory.leaderOf(this.#name, partition))
    const query = { topic: this.#name, partition, bytesMax: Math.max(1, Math.floor(bytesMax)), waitMs }
    const answer = await lane.send(fetchCall({ ...query, offset }))
    if (answer.errorCode === offsetOutOfRangeCode) {
      const startOffset = await this.#list(earliest)
      if (offset >= startOffset) throw offsetOutOfRange(this.#id.topic, offset, await this.#list(latest))
      // Retention was faster than the reader.
      return { blocks: [], nextOffset: startOffset, lastStableOffset: startOffset }
    }
    if (answer.errorCode !== 0) throw createErrorFromCode(answer.errorCode)
    return decode(offset, answer)
  }

  /** What a waiting request brought: whoever reads next need not ask for it again. */
  keep(fromOffset: number, fetched: Fetched): void {
    this.#sent = { ...fetched, fromOffset }
    this.#noteGap(fromOffset, fetched.blocks.length === 0 ? fetched.nextOffset : fromOffset)
  }

  /** `endOffset` is the offset after the last committed record, wherever the log itself ends. */
  async bounds(): Promise<Readonly<{ startOffset: number; endOffset: number }>> {
    return this.#retrying(async () => {
      const [startOffset, stableOffset] = await Promise.all([this.#list(earliest), this.#stableOffset()])
      const recordOffset = await this.#lastRecordBefore(startOffset, stableOffset)
      return { startOffset, endOffset: Math.max(startOffset, recordOffset) }
    })
  }

  /** The first offset whose record was appended at or after the instant; the last stable one where there is none. */
  async offsetAt(timestampMs: number): Promise<number> {
    return this.#retrying(async () => {
      const stableOffset = await this.#stableOffset()
      // The broker counts its own marks too, with its own clock: only from there on it is worth looking.
      const guess = await this.#list(timestampMs)
      let at = guess < 0 ? stableOffset : guess
      while (at < stableOffset) {
        const { blocks, nextOffset } = await this.fetch(at, { bytesMax: 1 << 20, waitMs: 0 })
        const found = blocks.find((block) => block.timestampMs >= timestampMs)
        if (found) return Math.max(at, found.firstOffset)
        at = Math.max(at + 1, nextOffset)
      }
      return stableOffset
    })
  }

  /** Lets go of everything before the offset. */
  async deleteBefore(offset: number): Promise<void> {
    const { connections, directory } = this.#cluster
    const partitions = [{ partition: this.#id.partition, offset: String(offset) }]
    await this.#retrying(async () => {
      const lane = connections.lane('directory', await directory.leaderOf(this.#name, this.#id.partition))
      await lane.use((broker) => broker.deleteRecords({ topics: [{ topic: this.#name, partitions }] }))
    })
  }

  async #lastRecordBefore(startOffset: number, stableOffset: number): Promise<number> {
    const floor = Math.max(startOffset, this.#end.scannedOffset)
    let untilOffset = stableOffset
    for (let step = firstStepBack; untilOffset > floor; step *= stepGrowth) {
      const from = Math.max(floor, stableOffset - step)
      const found = await this.#lastRecordIn(from, untilOffset)
      if (found !== null) {
        this.#end = { recordOffset: found, scannedOffset: stableOffset }
        return found
      }
      untilOffset = from
    }
    this.#end = { recordOffset: this.#end.recordOffset, scannedOffset: Math.max(floor, stableOffset) }
    return this.#end.recordOffset
  }

  async #lastRecordIn(fromOffset: number, untilOffset: number): Promise<number | null> {
    let found: number | null = null
    for (let at = fromOffset; at < untilOffset; ) {
      const { blocks, nextOffset } = await this.fetch(at, { bytesMax: 1 << 18, waitMs: 0 })
      const last = blocks.at(-1)
      if (last && offsetAfter(last) > fromOffset) found = offsetAfter(last)
      at = Math.max(at + 1, nextOffset)
    }
    return found
  }

  async #stableOffset(): Promise<number> {
    for (;;) {
      const offset = await this.#list(latest)
      if (!(await this.#isBehindOwn(offset, offset))) return offset
    }
  }

  /**
   * Waits a moment where what this process committed is not yet readable. Not for ever: its writer may have ended before it
   * could make up for a mark that the broker forgot, and whoever waits here may be the one who opens it again.
   */
  async #isBehindOwn(offset: number, stableOffset: number): Promise<boolean> {
    const ownOffset = this.#cluster.appended.endOf(this.#name, this.#id.partition)
    if (offset >= ownOffset || stableOffset >= ownOffset) return false
    if (this.#behind.ownOffset !== ownOffset) this.#behind = { ownOffset, sinceMs: performance.now() }
    if (performance.now() - this.#behind.sinceMs > this.#cluster.patienceMs) {
      const where = `${this.#name}/${this.#id.partition}`
      throw new OperationError('log_unavailable', `${where} holds offset ${ownOffset - 1}, and cannot be read there`)
    }
    await delay(markPauseMs)
    return true
  }

  async #list(timestamp: number): Promise<number> {
    const { connections, directory } = this.#cluster
    const { partition } = this.#id
    const lane = connections.lane('directory', await directory.leaderOf(this.#name, partition))
    const topics = [{ topic: this.#name, partitions: [{ partition, timestamp }] }]
    const { responses } = await lane.use((broker) => broker.listOffsets({ isolationLevel: 1, topics }))
    return Number(responses[0]?.partitions[0]?.offset)
  }

  /** Null when the signal has aborted. */
  async #fetchPatiently(offset: number, { bytesMax, signal }: ReadOptions): Promise<Fetched | null> {
    try {
      return await this.#retrying(() => this.fetch(offset, { bytesMax, waitMs: 0 }), signal)
    } catch (error) {
      if (signal?.aborted) return null
      throw error
    }
  }

  #keptFrom(offset: number, bytesMax: number): Readonly<{ batches: readonly RecordBatch[]; nextOffset: number }> {
    const sent = this.#sent
    if (!sent || offset < sent.fromOffset || sent.nextOffset <= offset) return { batches: [], nextOffset: offset }
    return { batches: batchesFrom(sent.blocks, { offset, bytesMax }), nextOffset: sent.nextOffset }
  }

  #skipGap(offset: number): number {
    const { fromOffset, nextOffset } = this.#gap
    return fromOffset <= offset && offset < nextOffset ? nextOffset : offset
  }

  #noteGap(fromOffset: number, nextOffset: number): void {
    if (nextOffset <= fromOffset) return
    const isLonger = this.#gap.fromOffset < fromOffset && fromOffset <= this.#gap.nextOffset
    this.#gap = { fromOffset: isLonger ? this.#gap.fromOffset : fromOffset, nextOffset }
  }

  #retrying<Result>(attempt: () => Promise<Result>, signal?: AbortSignal): Promise<Result> {
    const { patienceMs, directory } = this.#cluster
    return tryAgain(attempt, {
      doing: `reading ${this.#name}/${this.#id.partition}`,
      patienceMs,
      beforeRetry: () => directory.forget(),
      ...(signal ? { signal } : {}),
    })
  }
}

function decode(offset: number, { recordSet, aborted, lastStableOffset }: FetchAnswer): Fetched {
  let nextOffset = offset
  const looking = function* (): Generator<StoredBatch> {
    for (const batch of storedBatches(recordSet)) {
      nextOffset = Math.max(nextOffset, batch.nextOffset)
      yield batch
    }
  }
  const blocks: PackedBlock[] = []
  for (const batch of committedBatches(looking(), aborted)) {
    const block = packBatch(batch)
    if (block && offsetAfter(block) > offset) blocks.push(block)
  }
  return { blocks, nextOffset, lastStableOffset }
}

function batchesFrom(
  blocks: readonly PackedBlock[],
  { offset, bytesMax }: Readonly<{ offset: number; bytesMax: number }>,
): RecordBatch[] {
  const batches: RecordBatch[] = []
  let bytes = 0
  for (const block of blocks) {
    if (offsetAfter(block) <= offset) continue
    if (bytes > 0 && bytes + block.bytes.length > bytesMax) break
    bytes += block.bytes.length
    batches.push(new RecordBatch(block, Math.max(offset, block.firstOffset)))
  }
  return batches
}
