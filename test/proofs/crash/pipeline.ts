/**
 * Runs ingest, lookups, stages and projections over a fixed span in one process, on the real log and the real engine.
 */

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
import type { Stage } from '../../../schemas/stage.ts'
import { silentLogger } from '../../replay/stage-log.ts'
import { openMentions } from '../../support/mentions-in-turn.ts'
import { deriveSpan } from './derive-span.ts'
import { createPace, type Pace } from './pace.ts'
import { chainsWithTokens, chats, type SimulatedChain, type Span, simulatedChains } from './simulated-chains.ts'
import { resumeClock } from './stepwise-source.ts'

export type PipelineOptions = Readonly<{
  dataDir: string
  span: Span
  /** Called when everything in the log is processed. `spanShare` is the share of the span in the log, from 0 to 1. */
  onStep: (spanShare: number) => void
  onOpen?: () => void
  onStopping?: () => void
  /** Stops the pipeline before the end of the span. */
  signal?: AbortSignal
  /** Wraps the tables for the sink. Default: no wrapper. */
  wrapDatabase?: (database: Database) => Database
}>

/** The limits are small, so that a span has many batches and compactions. */
const sinkLimits = { rowCountMax: 2000, tickCountMax: 3 }
const maintainEveryMs = 200
/** The tables answer one question at a time. More frequent questions would delay the writer for which they wait. */
const askAgainMs = 100

/**
 * Resolves with true when the span is in the log, derived, and in the tables. Resolves with false when the
 * pipeline was stopped before this.
 */
export async function runPipeline(options: PipelineOptions): Promise<boolean> {
  const { dataDir, wrapDatabase = same } = options
  const lock = await lockDataDir(dataDir)
  const { log, registry, close } = await openLog({ dataDir, nowMs: () => 0 })
  const database = await createDatabase({ dataDir, role: 'writer' })
  const stop = new AbortController()
  const signal = AbortSignal.any([options.signal ?? never, stop.signal])
  signal.addEventListener('abort', () => options.onStopping?.())
  const lanes = await Promise.all(simulatedChains.map((chain) => openLane(chain, options)))
  const pace = createPace({
    ...options.span,
    stepMs: options.span.rangeSec * 1000,
    chats: chats.runnable.stage.name,
    chains: chainsWithTokens.map(({ runnable }) => runnable.stage.name),
    newestAtMs: newestOf(lanes.filter(({ chain }) => chain !== chats)),
  })
  /** Reports the share of the slowest chain, after each chain has processed the existing records. */
  const onStep = () => {
    const shares = lanes.map(({ spanShare }) => spanShare())
    if (shares.every((share) => share !== null)) options.onStep(Math.min(...shares))
  }
  let isThrough = false
  options.onOpen?.()
  await runTogether(
    [
      Promise.all(lanes.map((lane) => lane.run({ onStep, signal, database, pace }))).then(() => {
        isThrough = !signal.aborted
        stop.abort()
      }),
      runMentionsAt(pace, { dataDir, signal }),
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
      keepMaintained(log, () => options.span.toMs, signal),
    ],
    stop,
  )
  await database.close()
  for (const lane of lanes) await lane.close()
  await close()
  await lock.release()
  return isThrough
}

type Running = Readonly<{ onStep: () => void; signal: AbortSignal; database: Database; pace: Pace }>

type Lane = Readonly<{
  chain: SimulatedChain
  /** The newest block of the chain in the log when the log was opened. Null: there was none. */
  newestAtMs: number | null
  /** The share of the span in the log. Null until the existing records are processed. */
  spanShare(): number | null
  /** Resolves when the span is in the tables. */
  run(running: Running): Promise<void>
  close(): Promise<void>
}>

/** Opens a chain with its own clock and log object. So its records do not depend on the progress of other chains. */
async function openLane(chain: SimulatedChain, { dataDir, span }: PipelineOptions): Promise<Lane> {
  const { stage } = chain.runnable
  const clock = { atMs: span.fromMs }
  const { log, registry, close } = await openLog({ dataDir, nowMs: () => clock.atMs })
  const codecs = await createIngestCodecs(stage, registry)
  Object.assign(clock, await resumeClock({ log, codecs }, stage, span.fromMs))
  const last = await readLastTick({ log, topic: stage.factTopic.name, partition: 0, codec: codecs.facts })
  let spanShare: number | null = null
  return {
    chain,
    newestAtMs: last?.blockAtMs ?? null,
    spanShare: () => spanShare,
    async run({ onStep, signal, database, pace }) {
      const stepped = () => {
        spanShare = (clock.atMs - span.fromMs) / (span.toMs - span.fromMs)
        onStep()
      }
      const onRange = async (nextAtMs: number) => {
        stepped()
        await pace.arrive(stage.name, nextAtMs, signal)
      }
      await deriveSpan({ chain, log, codecs, span, clock, onStep: onRange, signal })
      pace.leave(stage.name)
      // A chain that reached the end of the span in an earlier run takes no steps. So its share of the span
      // is reported here.
      if (!signal.aborted) stepped()
      const topic = stage.factTopic.name
      const tick = await readLastTick({ log, topic, partition: 0, codec: codecs.facts })
      await waitForTables(database, stage, { seq: tick?.seq ?? 0, signal })
    },
    close,
  }
}

const newestOf = (lanes: readonly Lane[]): number | null => {
  const instants = lanes.flatMap(({ newestAtMs }) => newestAtMs ?? [])
  return instants.length === 0 ? null : Math.max(...instants)
}

/**
 * Reads the mentions of tokens in the posts of each step. The clock for these mentions is the end of the
 * step.
 */
async function runMentionsAt(
  pace: Pace,
  { dataDir, signal: outer }: Readonly<{ dataDir: string; signal: AbortSignal }>,
): Promise<void> {
  const clock = { atMs: 0 }
  const nowMs = () => clock.atMs
  const stop = new AbortController()
  const signal = AbortSignal.any([outer, stop.signal])
  const { log, registry, close } = await openLog({ dataDir, nowMs })
  const { turns, run } = await openMentions({ log, registry, nowMs, signal })
  let running: Promise<void> | null = null
  const giveTurns = async () => {
    for (let atMs = await pace.nextMentions(signal); atMs !== null; atMs = await pace.nextMentions(signal)) {
      clock.atMs = atMs
      running ??= run()
      await Promise.race([turns.give(), running])
      pace.mentioned()
    }
  }
  await giveTurns()
  stop.abort()
  await running
  await close()
}

const never = new AbortController().signal

const same = (database: Database): Database => database

type Until = Readonly<{ seq: number; signal?: AbortSignal }>

/**
 * Waits until every partition of the stage is in the tables up to the tick with number `seq`, or the signal
 * aborts. Ticks are compared by number, because several ticks may have the same time.
 */
export async function waitForTables(
  database: Database,
  { derivedTopic }: Pick<Stage, 'derivedTopic'>,
  { seq, signal = never }: Until,
): Promise<void> {
  while (!signal.aborted) {
    const [row] = await database.query<{ partitions: string; seq: string }>(
      `SELECT count() AS partitions, min(last) AS seq FROM
        (SELECT max(seq) AS last FROM watermarks
         WHERE state = 'done' AND topic = '${derivedTopic.name}' GROUP BY log_partition)`,
    )
    if (Number(row?.partitions) === derivedTopic.partitionCount && Number(row?.seq) >= seq) return
    await sleep(askAgainMs)
  }
}

async function keepMaintained(log: Log, nowMs: () => number, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    await sleep(maintainEveryMs, undefined, { signal }).catch(() => {})
    if (!signal.aborted) await log.maintain(nowMs())
  }
}
