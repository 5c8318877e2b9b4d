/** Ingest, lookup, stage and projections over a fixed span, on the real log and the real engine, as one process has them. */

import { setTimeout as sleep } from 'node:timers/promises'
import { createDatabase, type Database } from '../../../infra/clickhouse/database.ts'
import { lockDataDir } from '../../../infra/data-dir/data-dir-lock.ts'
import type { Log } from '../../../infra/log/log.ts'
import { openLog } from '../../../infra/log/open-log.ts'
import { readLastTick } from '../../../infra/log/ticks.ts'
import { runTogether } from '../../../infra/run-together.ts'
import { createIngestCodecs } from '../../../ingest/codecs.ts'
import { projections } from '../../../projections/projections.ts'
import { runProjections } from '../../../projections/sink/run.ts'
import { chainAStage } from '../../../schemas/chain-a/stage.ts'
import { topics } from '../../../schemas/topics.ts'
import { silentLogger } from '../../replay/stage-log.ts'
import { deriveSpan, type Span } from './derive-span.ts'
import { resumeClock } from './stepwise-source.ts'

export type PipelineOptions = Readonly<{
  dataDir: string
  span: Span
  /** All that stood is worked off; so much of the span, from 0 to 1, is in the log. */
  onStep: (spanShare: number) => void
  onOpen?: () => void
  onStopping?: () => void
  /** Ends it before the span is through. */
  signal?: AbortSignal
  /** What is put between the sink and its tables; default nothing. */
  wrapDatabase?: (database: Database) => Database
}>

/** Small, so that a span has many batches and compactions. */
const sinkLimits = { rowCountMax: 2000, tickCountMax: 3 }
const maintainEveryMs = 200

/** Resolves with true when the span is in the log, derived, and in the tables; with false when it was stopped before. */
export async function runPipeline(options: PipelineOptions): Promise<boolean> {
  const { dataDir, span, wrapDatabase = same } = options
  const lock = await lockDataDir(dataDir)
  const clock = { atMs: span.fromMs }
  const { log, registry, close } = await openLog({ dataDir, nowMs: () => clock.atMs })
  const codecs = await createIngestCodecs(chainAStage, registry)
  Object.assign(clock, await resumeClock({ log, codecs }, span.fromMs))
  const database = await createDatabase({ dataDir, role: 'writer' })
  const stop = new AbortController()
  const signal = AbortSignal.any([options.signal ?? never, stop.signal])
  signal.addEventListener('abort', () => options.onStopping?.())
  const onStep = () => options.onStep((clock.atMs - span.fromMs) / (span.toMs - span.fromMs))
  let isThrough = false
  options.onOpen?.()
  await runTogether(
    [
      deriveSpan({ log, codecs, span, clock, onStep, signal })
        .then(() => readLastTick({ log, topic: 'chain-a-facts', partition: 0, codec: codecs.facts }))
        .then((tick) => waitForTables(database, tick?.seq ?? 0, signal))
        .then(() => {
          isThrough = !signal.aborted
          stop.abort()
        }),
      runProjections({
        projections,
        log,
        registry,
        database: wrapDatabase(database),
        logger: silentLogger,
        signal,
        limits: sinkLimits,
        flushIntervalMs: 20,
      }),
      keepMaintained(log, () => clock.atMs, signal),
    ],
    stop,
  )
  await database.close()
  await close()
  await lock.release()
  return isThrough
}

const never = new AbortController().signal

const same = (database: Database): Database => database

/** Until every partition is confirmed to the tick (several may be known at one instant), or the signal aborts. */
export async function waitForTables(database: Database, seq: number, signal = never): Promise<void> {
  while (!signal.aborted) {
    const [row] = await database.query<{ partitions: string; seq: string }>(
      `SELECT count() AS partitions, min(last) AS seq FROM
        (SELECT max(seq) AS last FROM watermarks WHERE state = 'done' GROUP BY log_partition)`,
    )
    if (Number(row?.partitions) === topics['chain-a-facts'].partitionCount && Number(row?.seq) >= seq) return
    await sleep(10)
  }
}

async function keepMaintained(log: Log, nowMs: () => number, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    await sleep(maintainEveryMs, undefined, { signal }).catch(() => {})
    if (!signal.aborted) await log.maintain(nowMs())
  }
}
