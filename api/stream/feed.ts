/**
 * Reads the records that the rules of each chain publish, as soon as they are in the log, one tick at a time.
 * A tick is the record that closes a time step. Does not query the tables.
 */

import { createSchemaCodec, type SchemaRegistry } from '../../infra/codec/schema-codec.ts'
import { followTopic } from '../../infra/log/follow.ts'
import type { Log } from '../../infra/log/log.ts'
import type { RecordBatch } from '../../infra/log/record-batch.ts'
import { loadSchemas } from '../../infra/log/scan.ts'
import { runAgain } from '../../infra/run-again.ts'
import { runSideBySide } from '../../infra/run-side-by-side.ts'
import type { Logger } from '../../infra/telemetry.ts'
import { isTick, type Stage, type StageRecord } from '../../schemas/stage.ts'
import type { Tick } from '../../schemas/tick.ts'
import type { EpochMs } from '../../schemas/units.ts'
import type { ApiSource } from '../source.ts'

/**
 * A record that the rules computed, or a record about a correction (`Restated`, `Withdrawn`), as it is on the
 * log.
 */
export type PublishedRecord = Readonly<{ key: string; record: StageRecord; offset: number; publishedAtMs: EpochMs }>

/** A tick of one partition, and the records before it that belong to its time step, in the order of the log. */
export type PublishedTick = Readonly<{
  stage: Stage
  partition: number
  tick: Tick
  records: readonly PublishedRecord[]
  /** The offset of the record after the tick. */
  nextOffset: number
}>

export type FeedLog = Readonly<{ log: Pick<Log, 'bounds' | 'read' | 'waitForAppend'>; registry: SchemaRegistry }>

export type StageFeed = Readonly<{
  /**
   * Passes ticks to `onTick` until the signal aborts. After a failure, the next call of `run` continues after the last
   * tick that was passed on.
   */
  run(signal: AbortSignal): Promise<void>
}>

type Feeding = Readonly<{
  stage: Stage
  /**
   * The types of records that are passed on. Other types are not decoded. Records about corrections are
   * always passed on.
   */
  types: readonly string[]
  onTick(published: PublishedTick): void
}>

/**
 * Creates the feed of a stage. The first run starts at the end of the log, so earlier records are not passed
 * on.
 */
export function createStageFeed({ log, registry }: FeedLog, { stage, types, onTick }: Feeding): StageFeed {
  const wanted: ReadonlySet<string> = new Set([...types, 'Restated', 'Withdrawn', 'Tick'])
  /**
   * The next offset to read, by partition. It is first the end of the log at the first run, and later the
   * offset after the last tick that was passed on.
   */
  const offsets = new Map<number, number>()

  return {
    async run(signal) {
      const codec = await createSchemaCodec<StageRecord>(stage.derivedTopic, registry)
      const loadedIds = new Set<number>()
      const open = new Map<number, PublishedRecord[]>()
      const take = (batch: RecordBatch, index: number, partition: number) => {
        const value = batch.valueAt(index)
        if (value === null || !wanted.has(codec.typeOf(value))) return
        const record = codec.decode(value)
        const offset = batch.offsetAt(index)
        const records = open.get(partition) ?? []
        open.set(partition, records)
        if (!isTick(record)) {
          records.push({ key: batch.keyAt(index), record, offset, publishedAtMs: batch.timestampMsAt(index) })
          return
        }
        open.delete(partition)
        onTick({ stage, partition, tick: record.data, records, nextOffset: offset + 1 })
        offsets.set(partition, offset + 1)
      }
      await followTopic(log, stage.derivedTopic, {
        signal,
        offsetOf(partition, endOffset) {
          const offset = offsets.get(partition) ?? endOffset
          offsets.set(partition, offset)
          return offset
        },
        async onBatch(batch, partition) {
          await loadSchemas({ codec }, batch, loadedIds)
          for (let index = 0; index < batch.count; index++) take(batch, index, partition)
        },
      })
    },
  }
}

/** The options of `followChains`. A single reader reads the topics of the chains for all listeners. */
type Following = FeedLog &
  Readonly<{
    sources: readonly Pick<ApiSource, 'stage' | 'stream'>[]
    listeners: readonly ((published: PublishedTick) => void)[]
    nowMs: () => number
    logger: Pick<Logger, 'warn' | 'error'>
    signal: AbortSignal
  }>

/**
 * Passes published ticks to every listener until the signal aborts. While the log is unavailable, this function waits
 * and skips nothing. A chain that fails for another reason is started again after a minute, while the other chains
 * continue. Fails when every chain has failed.
 */
export async function followChains(following: Following): Promise<void> {
  const { sources, listeners, log, registry, nowMs, logger, signal } = following
  const stop = new AbortController()
  const stopped = AbortSignal.any([signal, stop.signal])
  const parts = sources.flatMap(({ stage, stream }) => {
    if (stream === undefined) return []
    const types = stream.rows.map(({ recordType }) => recordType)
    const onTick = (published: PublishedTick) => {
      for (const listener of listeners) listener(published)
    }
    const feed = createStageFeed({ log, registry }, { stage, types, onTick })
    const name = `the stream of ${stage.name}`
    return [{ name, run: () => runAgain(() => feed.run(stopped), { name, signal: stopped, nowMs, logger }) }]
  })
  await runSideBySide(parts, { signal: stopped, stop, logger })
}
