/** The only loop of the projections: read whole ticks, write them, go on. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Database } from '../../infra/clickhouse/database.ts'
import { createSchemaCodec, type SchemaRegistry } from '../../infra/codec/schema-codec.ts'
import { isOperationError } from '../../infra/errors.ts'
import type { Log } from '../../infra/log/log.ts'
import type { Logger } from '../../infra/telemetry.ts'
import type { ChainADerivedRecord } from '../../schemas/chain-a/derived.ts'
import { topics } from '../../schemas/topics.ts'
import { type Batches, type BatchLimits, createBatches } from './batches.ts'
import { migrate, readMigrations } from './migrate.ts'
import { type Batch, readProgress, writeBatch } from './write-batch.ts'

export type ProjectionsOptions = Readonly<{
  log: Log
  registry: SchemaRegistry
  /** A writer; nobody else may write to it meanwhile. */
  database: Database
  logger: Logger
  signal: AbortSignal
  onProgress?: (progress: ProjectionsProgress) => void
  limits?: BatchLimits
  /** At the log's end, inserts are at least so far apart: each makes a part that the engine has to merge. */
  flushIntervalMs?: number
}>

/** The last tick of a batch just written, the rows of the batch, and whether the log's end was reached. */
type ProjectionsProgress = Readonly<{
  seq: number
  knownAtMs: number
  blockAtMs: number
  rowCount: number
  isAtEnd: boolean
}>

const topic = 'chain-a-derived'
const limitsDefault: BatchLimits = { rowCountMax: 10_000, tickCountMax: 5000 }
const flushIntervalMsDefault = 250
const retryDelayMsMax = 5000

/**
 * Projects until the signal aborts; a batch that is being written is finished first. Migrates the tables before.
 * Halts with `record_corrupt` at a derived record that cannot be read, with `database_failed` when ClickHouse refuses a
 * batch for good; where it may accept it later, the batch is tried again.
 */
export async function runProjections(options: ProjectionsOptions): Promise<void> {
  const { log, signal, flushIntervalMs = flushIntervalMsDefault } = options
  const batches = await openBatches(options)
  while (!signal.aborted) {
    const startedAtMs = performance.now()
    if (!(await projectNext(batches, options))) await waitForAny(log, batches, signal)
    else if (batches.isAtEnd()) await pause(flushIntervalMs - (performance.now() - startedAtMs), signal)
  }
}

/** Projects what the log holds now, and returns. */
export async function projectToEnd(options: ProjectionsOptions): Promise<void> {
  const batches = await openBatches(options)
  let isMore = true
  while (isMore && !options.signal.aborted) isMore = await projectNext(batches, options)
}

async function openBatches({ log, registry, database, limits = limitsDefault }: ProjectionsOptions): Promise<Batches> {
  await migrate(database, await readMigrations())
  const codec = await createSchemaCodec<ChainADerivedRecord>(topics[topic], registry)
  return createBatches(
    { log, codec, topic, partitionCount: topics[topic].partitionCount },
    await readProgress(database, topic),
    limits,
  )
}

/** False: the log holds nothing more, or the signal aborted first. */
async function projectNext(batches: Batches, options: ProjectionsOptions): Promise<boolean> {
  const batch = await batches.next()
  if (!batch || !(await writePatiently(batch, options))) return false
  options.onProgress?.(progressOf(batch, batches.isAtEnd()))
  return true
}

/** The same batch until ClickHouse has it: an insert whose answer was lost may have arrived. False: aborted before. */
async function writePatiently(batch: Batch, { database, logger, signal }: ProjectionsOptions): Promise<boolean> {
  for (let attempt = 1; !signal.aborted; attempt++) {
    try {
      await writeBatch(database, batch)
      return true
    } catch (error) {
      if (!isOperationError(error, 'database_failed') || error.context.isRetryable !== true) throw error
      logger.warn({ err: error, attempt }, 'a batch was not accepted; it is tried again')
      await pause(Math.min(retryDelayMsMax, 100 * 2 ** attempt), signal)
    }
  }
  return false
}

/** The slowest partition of the batch: what stands before it is in the tables. */
function progressOf({ parts }: Batch, isAtEnd: boolean): ProjectionsProgress {
  const lasts = parts.map(({ ticks }) => ticks.at(-1)?.tick).filter((tick) => tick !== undefined)
  const slowest = lasts.reduce((least, tick) => (tick.seq < least.seq ? tick : least))
  const rowCount = parts.flatMap(({ ticks }) => ticks).reduce((sum, { rows }) => sum + rows.length, 0)
  const { seq, knownAtMs, blockAtMs } = slowest
  return { seq, knownAtMs, blockAtMs, rowCount, isAtEnd }
}

async function waitForAny(log: Log, batches: Batches, signal: AbortSignal): Promise<void> {
  const others = new AbortController()
  const either = AbortSignal.any([signal, others.signal])
  const waits = batches.positions().map((position) => log.waitForAppend({ topic, ...position }, either))
  await Promise.race(waits)
  others.abort()
  await Promise.all(waits)
}

async function pause(durationMs: number, signal: AbortSignal): Promise<void> {
  if (durationMs > 0 && !signal.aborted) await sleep(durationMs, undefined, { signal }).catch(() => {})
}
