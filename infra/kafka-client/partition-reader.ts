/** Reads the committed records of one partition from its leader, without a consumer group. */
import { setTimeout as delay } from 'node:timers/promises'
import { OperationError } from '../errors.ts'
import { offsetAfter, type PackedBlock, RecordBatch } from '../log/record-batch.ts'
import { committedBatches } from './batches/committed-batches.ts'
import { packBatch, type StoredBatch, storedBatches } from './batches/decode-batch.ts'
import { tryAgain } from './broker-errors.ts'
import { type FetchAnswer, fetchCall } from './calls/fetch-call.ts'
import type { Cluster } from './cluster.ts'
import { createErrorFromCode } from './kafkajs-parts.ts'

/** `topic` is the full name of the topic on the cluster. */
export type PartitionId = Readonly<{ topic: string; partition: number }>

export type Fetched = Readonly<{
  blocks: readonly PackedBlock[]
  /** The offset at which the next fetch begins. Aborted records and transaction markers take offsets too. */
  nextOffset: number
  /** The last stable offset. Every record below it is committed or aborted. */
  lastStableOffset: number
}>

type ReadOptions = Readonly<{ bytesMax: number; signal?: AbortSignal }>

/** The result of a fetch that is kept for the next read. */
type Kept = Fetched & Readonly<{ fromOffset: number }>

const earliest = -2
const latest = -1
const offsetOutOfRangeCode = 1
/**
 * The number of offsets before the end at which the search for the last record begins. Usually the last two offsets are
 * a record and the marker of its transaction.
 */
const firstStepBack = 2
const stepGrowth = 16
const markerPauseMs = 1

export class PartitionReader {
  readonly #cluster: Cluster
  readonly #id: PartitionId
  /** The last range of offsets in which a fetch found no committed record. */
  #gap = { fromOffset: 0, nextOffset: 0 }
  #kept: Kept | null = null
  /**
   * The newest result of the search for the last record. `recordOffset` is the offset after that record.
   * `scannedOffset` is the offset up to which the search went.
   */
  #end = { recordOffset: 0, scannedOffset: 0 }
  /**
   * `ownOffset` is the newest end that this process has committed and that was not yet readable. `sinceMs` is the time
   * at which the wait for this end began.
   */
  #behind = { ownOffset: 0, sinceMs: 0 }

  constructor(cluster: Cluster, id: PartitionId) {
    this.#cluster = cluster
    this.#id = id
  }

  /** Reads as `Log.read` does. */
  async read(offset: number, options: ReadOptions): Promise<readonly RecordBatch[]> {
    const kept = this.#readKept(this.#skipGap(offset), options.bytesMax)
    if (kept.batches.length > 0) return kept.batches
    let at = kept.nextOffset
    for (;;) {
      const fetched = await this.#fetchPatiently(at, options)
      if (fetched === null) return []
      const batches = batchesFrom(fetched.blocks, { offset, bytesMax: Number.POSITIVE_INFINITY })
      if (batches.length > 0) return batches
      if (fetched.nextOffset > at) at = fetched.nextOffset
      else if (!(await this.#isBehindOwn(at, fetched.lastStableOffset))) {
        if (at > fetched.lastStableOffset) throw this.#outOfRange(at, fetched.lastStableOffset)
        this.#noteGap(offset, at)
        return []
      } else if (options.signal?.aborted) return []
    }
  }

  /**
   * Sends one fetch request. `purpose` selects the connection. A request that waits at the broker delays all
   * later requests on its connection.
   */
  async fetch(
    offset: number,
    { bytesMax, waitMs, purpose = 'read' }: Readonly<{ bytesMax: number; waitMs: number; purpose?: string }>,
  ): Promise<Fetched> {
    const { connections, directory } = this.#cluster
    const { topic, partition } = this.#id
    const connection = connections.to(purpose, await directory.leaderOf(topic, partition))
    const query = { topic, partition, bytesMax: Math.max(1, Math.floor(bytesMax)), waitMs }
    const answer = await connection.send(fetchCall({ ...query, offset }))
    if (answer.errorCode === offsetOutOfRangeCode) {
      const startOffset = await this.#list(earliest)
      if (offset >= startOffset) throw this.#outOfRange(offset, await this.#list(latest))
      // Retention has deleted the record at this offset.
      return { blocks: [], nextOffset: startOffset, lastStableOffset: startOffset }
    }
    if (answer.errorCode !== 0) throw createErrorFromCode(answer.errorCode)
    return decode(offset, answer)
  }

  /** Keeps the result of a long poll, so that the next read does not fetch the same records again. */
  keep(fromOffset: number, fetched: Fetched): void {
    this.#kept = { ...fetched, fromOffset }
    this.#noteGap(fromOffset, fetched.blocks.length === 0 ? fetched.nextOffset : fromOffset)
  }

  /**
   * The bounds of the committed records. `endOffset` is the offset after the last committed record. Markers and aborted
   * records may follow at higher offsets.
   */
  async bounds(): Promise<Readonly<{ startOffset: number; endOffset: number }>> {
    return this.#retrying(async () => {
      const [startOffset, stableOffset] = await Promise.all([this.#list(earliest), this.#stableOffset()])
      const recordOffset = await this.#lastRecordBefore(startOffset, stableOffset)
      return { startOffset, endOffset: Math.max(startOffset, recordOffset) }
    })
  }

  /**
   * The first offset whose record was appended at this time or later. If there is no such record, the last
   * stable offset.
   */
  async offsetAt(timestampMs: number): Promise<number> {
    return this.#retrying(async () => {
      const stableOffset = await this.#stableOffset()
      // The broker may answer with the offset of a transaction marker, because a marker has the broker's
      // time. So the wanted record is at this offset or later.
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

  /** The offset after the last committed record in `[fromOffset, untilOffset)`. Null if there is no such record. */
  async recordEndBetween(fromOffset: number, untilOffset: number): Promise<number | null> {
    return this.#retrying(() => this.#lastRecordBetween(fromOffset, untilOffset))
  }

  async deleteBefore(offset: number): Promise<void> {
    const { connections, directory } = this.#cluster
    const { topic, partition } = this.#id
    const topics = [{ topic, partitions: [{ partition, offset: String(offset) }] }]
    await this.#retrying(async () => {
      const connection = connections.to('directory', await directory.leaderOf(topic, partition))
      await connection.use((broker) => broker.deleteRecords({ topics }))
    })
  }

  async #lastRecordBefore(startOffset: number, stableOffset: number): Promise<number> {
    const floor = Math.max(startOffset, this.#end.scannedOffset)
    const recordOffset = (await this.#lastRecordBetween(floor, stableOffset)) ?? this.#end.recordOffset
    this.#end = { recordOffset, scannedOffset: Math.max(floor, stableOffset) }
    return recordOffset
  }

  /** Searches backwards in steps, and returns the offset after the last record. */
  async #lastRecordBetween(floor: number, endOffset: number): Promise<number | null> {
    let untilOffset = endOffset
    for (let step = firstStepBack; untilOffset > floor; step *= stepGrowth) {
      const from = Math.max(floor, endOffset - step)
      const found = await this.#lastRecordIn(from, untilOffset)
      if (found !== null) return found
      untilOffset = from
    }
    return null
  }

  async #lastRecordIn(fromOffset: number, untilOffset: number): Promise<number | null> {
    let found: number | null = null
    for (let at = fromOffset; at < untilOffset; ) {
      const { blocks, nextOffset } = await this.fetch(at, { bytesMax: 1 << 18, waitMs: 0 })
      for (const block of blocks) {
        const batch = new RecordBatch(block, fromOffset, untilOffset)
        if (batch.count > 0) found = batch.offsetAt(batch.count - 1) + 1
      }
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
   * Checks whether this process has committed records that are not yet readable. If so, pauses for a moment
   * and returns true. Throws `log_unavailable` after `patienceMs`, because the broker may have lost a marker.
   * Only a new producer can replace the marker. The caller may be the program that must open this producer,
   * so the caller must not wait for ever.
   */
  async #isBehindOwn(offset: number, stableOffset: number): Promise<boolean> {
    const { topic, partition } = this.#id
    const ownOffset = this.#cluster.appended.endOf(topic, partition)
    if (offset >= ownOffset || stableOffset >= ownOffset) return false
    if (this.#behind.ownOffset !== ownOffset) this.#behind = { ownOffset, sinceMs: performance.now() }
    if (performance.now() - this.#behind.sinceMs > this.#cluster.patienceMs)
      throw new OperationError(
        'log_unavailable',
        `this program wrote and committed the record at offset ${ownOffset - 1} of ${topic}/${partition}, but the broker still does not return it`,
      )
    await delay(markerPauseMs)
    return true
  }

  async #list(timestamp: number): Promise<number> {
    const { connections, directory } = this.#cluster
    const { topic, partition } = this.#id
    const connection = connections.to('directory', await directory.leaderOf(topic, partition))
    const topics = [{ topic, partitions: [{ partition, timestamp }] }]
    const { responses } = await connection.use((broker) => broker.listOffsets({ isolationLevel: 1, topics }))
    return Number(responses[0]?.partitions[0]?.offset)
  }

  /** Fetches with retries. Null if the signal has aborted. */
  async #fetchPatiently(offset: number, { bytesMax, signal }: ReadOptions): Promise<Fetched | null> {
    try {
      return await this.#retrying(() => this.fetch(offset, { bytesMax, waitMs: 0 }), signal)
    } catch (error) {
      if (signal?.aborted) return null
      throw error
    }
  }

  #readKept(offset: number, bytesMax: number): Readonly<{ batches: readonly RecordBatch[]; nextOffset: number }> {
    const kept = this.#kept
    if (!kept || offset < kept.fromOffset || kept.nextOffset <= offset) return { batches: [], nextOffset: offset }
    return { batches: batchesFrom(kept.blocks, { offset, bytesMax }), nextOffset: kept.nextOffset }
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
      doing: `reading ${this.#id.topic}/${this.#id.partition}`,
      patienceMs,
      beforeRetry: () => directory.forget(),
      ...(signal ? { signal } : {}),
    })
  }

  #outOfRange(offset: number, endOffset: number): OperationError {
    const { topic, partition } = this.#id
    const text = `offset ${offset} is past the end of ${topic}/${partition}. The end is at offset ${endOffset}`
    return new OperationError('offset_out_of_range', text)
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
