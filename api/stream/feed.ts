/**
 * Reads the records that the rules of each chain publish, as soon as they are in the log, one tick at a time.
 * A tick is the record that closes a time step. Does not query the tables.
 */

import { createSchemaCodec, type SchemaRegistry } from '../../infra/codec/schema-codec.ts'
import { followTopic } from '../../infra/log/follow.ts'
import type { Log } from '../../infra/log/log.ts'
import { loadSchemas } from '../../infra/log/scan.ts'
import { runAgain } from '../../infra/run-again.ts'
import { runSideBySide } from '../../infra/run-side-by-side.ts'
import type { Logger } from '../../infra/telemetry.ts'
import type { Stage, StageRecord } from '../../schemas/stage.ts'
import type { ApiSource } from '../source.ts'
import { type Place, placesOf } from './cursor.ts'
import { createTickGrouping, type PublishedTick } from './published-ticks.ts'

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
  /** Called before the first tick of a partition, with the offset at which the feed begins. Default: nothing. */
  onStart?(place: Place, offset: number): void
  onTick(published: PublishedTick): void
}>

/**
 * Creates the feed of a stage. The first run starts at the end of the log, so earlier records are not passed
 * on.
 */
export function createStageFeed({ log, registry }: FeedLog, feeding: Feeding): StageFeed {
  const { stage, types, onStart = () => {}, onTick } = feeding
  /**
   * The next offset to read, by partition. It is first the end of the log at the first run, and later the
   * offset after the last tick that was passed on.
   */
  const offsets = new Map<number, number>()

  return {
    async run(signal) {
      const codec = await createSchemaCodec<StageRecord>(stage.derivedTopic, registry)
      const loadedIds = new Set<number>()
      const groupings = placesOf([stage]).map(({ partition }) => createTickGrouping({ stage, partition, codec, types }))
      await followTopic(log, stage.derivedTopic, {
        signal,
        offsetOf(partition, endOffset) {
          const offset = offsets.get(partition) ?? endOffset
          offsets.set(partition, offset)
          onStart({ stage, partition }, offset)
          return offset
        },
        async onBatch(batch, partition) {
          await loadSchemas({ codec }, batch, loadedIds)
          for (const published of groupings[partition]?.ticksOf(batch) ?? []) {
            onTick(published)
            offsets.set(partition, published.nextOffset)
          }
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
    /** Called before the first tick of a partition, with the offset at which reading begins. Default: nothing. */
    onStart?(place: Place, offset: number): void
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
  const { sources, listeners, onStart, log, registry, nowMs, logger, signal } = following
  const stop = new AbortController()
  const stopped = AbortSignal.any([signal, stop.signal])
  const parts = sources.flatMap(({ stage, stream }) => {
    if (stream === undefined) return []
    const types = stream.rows.map(({ recordType }) => recordType)
    const onTick = (published: PublishedTick) => {
      for (const listener of listeners) listener(published)
    }
    const feed = createStageFeed({ log, registry }, { stage, types, onTick, ...(onStart && { onStart }) })
    const name = `the stream of ${stage.name}`
    return [{ name, run: () => runAgain(() => feed.run(stopped), { name, signal: stopped, nowMs, logger }) }]
  })
  await runSideBySide(parts, { signal: stopped, stop, logger })
}
