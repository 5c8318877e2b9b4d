/** Ingest, lookups, stages and projections over a fixed span, on the real log and the real engine, as one process has them. */

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
  /** Of the chain that is the furthest behind, once all have worked off what stood. */
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
  /** Its newest block in the log when it was opened; null: there was none. */
  newestAtMs: number | null
  /** How much of the span is in the log; null until all that stood is worked off. */
  spanShare(): number | null
  /** Until the span is in the tables. */
  run(running: Running): Promise<void>
  close(): Promise<void>
}>

/** A chain with its own clock, so that what stands beside it changes none of its bytes; the log has each as a thread of its own. */
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
      // A chain that was through before has no step left.
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

/** What the posts of each step say of tokens, known at its end. */
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

/** Until every partition of the stage is confirmed to the tick (several may be known at one instant), or the signal aborts. */
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
    await sleep(10)
  }
}

async function keepMaintained(log: Log, nowMs: () => number, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    await sleep(maintainEveryMs, undefined, { signal }).catch(() => {})
    if (!signal.aborted) await log.maintain(nowMs())
  }
}
