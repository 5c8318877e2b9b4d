/**
 * The main loops that write records to tables, one loop per stage. Each loop reads whole ticks, writes their
 * rows, and repeats.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Database } from '../../infra/clickhouse/database.ts'
import { createSchemaCodec, type SchemaRegistry } from '../../infra/codec/schema-codec.ts'
import { isOperationError } from '../../infra/errors.ts'
import { limited } from '../../infra/limited.ts'
import type { LogReader } from '../../infra/log/log.ts'
import { pauseIfPassing } from '../../infra/run-again.ts'
import { runSideBySide } from '../../infra/run-side-by-side.ts'
import type { Logger } from '../../infra/telemetry.ts'
import type { StageRecord } from '../../schemas/stage.ts'
import type { DurationMs, EpochMs } from '../../schemas/units.ts'
import type { Projection } from '../projection.ts'
import { type Batches, type BatchLimits, createBatches } from './batches.ts'
import { createEditionWriter, type EditionWriter } from './edition-writer.ts'
import { migrate, readMigrations } from './migrate.ts'
import { type Batch, readProgress, writeBatch } from './write-batch.ts'

export type ProjectionsOptions = Readonly<{
  projections: readonly Projection[]
  log: LogReader
  registry: SchemaRegistry
  /** The only database connection with the writer role. */
  database: Database
  logger: Logger
  signal: AbortSignal
  onProgress?: (progress: ProjectionsProgress) => void
  limits?: BatchLimits
  /**
   * The minimum time between two batches of a stage at the end of the log, in milliseconds. Each insert makes
   * a data part that ClickHouse must merge later. So fewer inserts cost less.
   */
  flushIntervalMs?: DurationMs
}>

/**
 * Describes the batch that was just written: its last tick, its number of rows, and whether it reached the
 * end of the stage's log. If the partitions of the batch end at different ticks, the earliest of these ticks
 * is given.
 */
export type ProjectionsProgress = Readonly<{
  projection: Projection
  seq: number
  knownAtMs: EpochMs
  blockAtMs: EpochMs
  rowCount: number
  isAtEnd: boolean
  /** The known time of the last tick of each partition of the batch. */
  partitions: readonly Readonly<{ partition: number; knownAtMs: EpochMs }>[]
}>

const limitsDefault: BatchLimits = { rowCountMax: 10_000, tickCountMax: 5000 }
const flushIntervalMsDefault = 200
const retryDelayMsMax = 5000

/**
 * Migrates the tables, then writes records to them until the signal aborts. An abort waits until the current
 * batch is written. A stage without new ticks does not delay other stages.
 *
 * A permanent failure stops only its stage (see `runSideBySide`). A temporary failure of the log or the
 * database stops all stages. A batch that ClickHouse may accept later is tried again.
 *
 * @throws `record_corrupt` if a derived record cannot be decoded.
 * @throws `database_failed` if ClickHouse refuses a batch permanently.
 */
export async function runProjections(options: ProjectionsOptions): Promise<void> {
  const stop = new AbortController()
  const signal = AbortSignal.any([options.signal, stop.signal])
  const shared = await prepare({ ...options, signal })
  const parts = options.projections.map((projection) => ({
    name: `projection of ${projection.stage.name}`,
    run: () => project(projection, shared),
  }))
  const concernsAll = (error: unknown) =>
    pauseIfPassing(error, 1) !== null || (isOperationError(error) && error.context.isFatal === true)
  await runSideBySide(parts, { signal, stop, logger: options.logger, concernsAll })
}

/**
 * Writes all records that are in the log at the time of the call to the tables, one stage after the other.
 * Then returns.
 */
export async function projectToEnd(options: ProjectionsOptions): Promise<void> {
  const shared = await prepare(options)
  for (const projection of options.projections) {
    const lane = await openLane(projection, shared)
    while (!shared.signal.aborted && (await projectNext(lane, shared)));
  }
}

async function prepare(options: ProjectionsOptions): Promise<ProjectionsOptions> {
  await migrate(options.database, await readMigrations(options.projections), options.logger)
  return { ...options, database: insertInTurn(options.database) }
}

/**
 * Returns a database that starts an insert only after the previous insert is done. The embedded engine runs
 * one statement at a time. Each waiting statement would occupy one of the few threads in Node's pool.
 */
function insertInTurn(database: Database): Database {
  let last: Promise<void> = Promise.resolve()
  return {
    ...database,
    insert(insert) {
      const inserted = last.then(() => database.insert(insert))
      last = inserted.catch(() => {})
      return inserted
    },
  }
}

async function project(projection: Projection, options: ProjectionsOptions): Promise<void> {
  const { signal, flushIntervalMs = flushIntervalMsDefault } = options
  const lane = await openLane(projection, options)
  while (!signal.aborted) {
    const startedAtMs = performance.now()
    if (!(await projectNext(lane, options))) await waitForAny(projection, lane.batches, options)
    else if (lane.batches.isAtEnd()) await pause(flushIntervalMs - (performance.now() - startedAtMs), signal)
  }
}

/** The batches of one stage, as read from its log, and the writer of the stage's editions (hourly results). */
type Lane = Readonly<{ batches: Batches; editions: EditionWriter }>

async function openLane(projection: Projection, options: ProjectionsOptions): Promise<Lane> {
  const { log, registry, database, signal, limits = limitsDefault } = options
  const topic = projection.stage.derivedTopic
  const codec = await createSchemaCodec<StageRecord>(topic, registry)
  const progress = await readProgress(database, topic.name)
  return {
    batches: createBatches({ log, codec, projection, signal }, progress, limits),
    editions: createEditionWriter({ projection, database, progress }),
  }
}

/** Writes the next batch. Returns false if the log has no further batch, or if the signal aborted first. */
async function projectNext(lane: Lane, options: ProjectionsOptions): Promise<boolean> {
  const batch = await lane.batches.next()
  if (!batch || !(await writePatiently(batch, lane, options))) return false
  options.onProgress?.(progressOf(batch, lane.batches.isAtEnd()))
  return true
}

/**
 * Writes a batch, and tries exactly the same batch again until ClickHouse accepts it. The batch must stay the
 * same, because ClickHouse may have stored an insert although its response was lost. Returns false if the
 * signal aborted first.
 */
async function writePatiently(
  batch: Batch,
  { editions }: Lane,
  { database, logger, signal }: ProjectionsOptions,
): Promise<boolean> {
  for (let attempt = 1; !signal.aborted; attempt++) {
    try {
      await writeBatch(database, batch, editions.write)
      return true
    } catch (error) {
      if (!isOperationError(error, 'database_failed') || error.context.isRetryable !== true) throw error
      const stage = batch.projection.stage.name
      logger.warn({ err: error, stage, attempt }, 'ClickHouse did not accept a batch. The same batch is sent again')
      await pause(Math.min(retryDelayMsMax, 100 * 2 ** attempt), signal)
    }
  }
  return false
}

/**
 * Returns the progress of the partition that is furthest behind. The tables have the rows of all ticks up to
 * this partition's last tick.
 */
function progressOf({ projection, parts }: Batch, isAtEnd: boolean): ProjectionsProgress {
  const lasts = parts.map(({ ticks }) => ticks.at(-1)?.tick).filter((tick) => tick !== undefined)
  const slowest = lasts.reduce((least, tick) => (tick.seq < least.seq ? tick : least))
  const rowCount = parts.flatMap(({ ticks }) => ticks).reduce((sum, { rows }) => sum + rows.length, 0)
  const partitions = parts.flatMap(({ partition, ticks }) => {
    const last = ticks.at(-1)
    return last ? [{ partition, knownAtMs: last.tick.knownAtMs }] : []
  })
  const { seq, knownAtMs, blockAtMs } = slowest
  return { projection, seq, knownAtMs, blockAtMs, rowCount, isAtEnd, partitions }
}

async function waitForAny({ stage }: Projection, batches: Batches, { log, signal }: ProjectionsOptions): Promise<void> {
  const waiting = limited([signal])
  const topic = stage.derivedTopic.name
  const waits = batches.nextOffsets().map((next) => log.waitForAppend({ topic, ...next }, waiting.signal))
  try {
    await Promise.race(waits)
  } finally {
    waiting.abort()
    await Promise.all(waits).finally(waiting.release)
  }
}

async function pause(durationMs: DurationMs, signal: AbortSignal): Promise<void> {
  if (durationMs > 0 && !signal.aborted) await sleep(durationMs, undefined, { signal }).catch(() => {})
}
