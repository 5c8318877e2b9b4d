import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import { routesOf } from '../../../api/products.ts'
import { createAnswers } from '../../../api/sale/answers.ts'
import { parseParams } from '../../../api/sale/params.ts'
import { createSources } from '../../../api/sources.ts'
import { createDatabase, type Database } from '../../../infra/clickhouse/database.ts'
import { type ProgramThread, startThread } from '../../../infra/command-line/program-thread.ts'
import { type Config, readConfig } from '../../../infra/config.ts'
import { OperationError } from '../../../infra/errors.ts'
import { openLog } from '../../../infra/log/open-log.ts'
import { onBatchWritten } from '../../../projections/batch-signal.ts'
import { createCuts } from '../../../projections/cuts.ts'
import { chainAStage } from '../../../schemas/chain-a/stage.ts'
import { followWay, type Passed, type Way } from './answer-parts.ts'
import type { LiveIngestData } from './live-ingest.ts'
import { silentConsole } from './silent-console.ts'

type LatencyBench = Readonly<{ dataDir: string; seconds: number }>

const pollMs = 20
const slowRefreshMs = 2000
/** The ticks of the last 5 s of a run are left out, because their answers may not be ready yet. */
const settleMs = 5_000

/**
 * Measures how long the facts of a tick take to reach each later point of the service, up to the bytes of an
 * answer. The time starts when the facts are known. The programs run in threads as in the service, with
 * simulated trades of chain A only. Measures at the default interval between two data times (cuts), and at an
 * interval of two seconds.
 */
export async function measureLatency({ dataDir, seconds }: LatencyBench): Promise<void> {
  for (const refreshMs of [readConfig({}).VIEW_REFRESH_MS, slowRefreshMs])
    await measureAt(refreshMs, { dataDir: join(dataDir, String(refreshMs)), seconds })
}

async function measureAt(refreshMs: number, { dataDir, seconds }: LatencyBench): Promise<void> {
  // A URL of a node for chain A makes the service leave out chain B. Nothing connects to this node.
  const config = readConfig({
    DATA_DIR: dataDir,
    METRICS_PORT: '0',
    LOG_LEVEL: 'error',
    CHAIN_A_RPC_URL: 'http://127.0.0.1:1',
  })
  const open = await openLog({ dataDir, nowMs: Date.now })
  const threads = [
    startIngest({ dataDir }),
    ...(['process', 'project'] as const).map((program) => startThread(program, { config, console: silentConsole })),
  ]
  const database = await createDatabase({ dataDir, role: 'reader' })
  const stopping = new AbortController()
  const { signal } = stopping
  try {
    await Promise.race([isLive(database), ...threads.map(neverEnds)])
    const fromMs = Date.now()
    const way = followWay(open, database, signal)
    const answered = followAnswers({ config, database, refreshMs, way, signal })
    const cpuBefore = process.cpuUsage()
    await sleep(seconds * 1000 + settleMs)
    const { user, system } = process.cpuUsage(cpuBefore)
    stopping.abort()
    await Promise.all([way.done, answered.done])
    const seqs = [...way.knownAtMs].flatMap(([seq, atMs]) =>
      atMs > fromMs && atMs < fromMs + seconds * 1000 ? [seq] : [],
    )
    print(seqs, way, answered)
    const cores = (user + system) / 1000 / (seconds * 1000 + settleMs)
    console.log(`  CPU time of all of it, with what looks on: ${cores.toFixed(2)} s a second`)
  } finally {
    stopping.abort()
    for (const thread of threads) thread.stop()
    await Promise.allSettled(threads.map(({ done }) => done))
    await database.close()
    await open.close()
  }
}

function startIngest(workerData: LiveIngestData): ProgramThread {
  const worker = new Worker(new URL('./live-ingest.js', import.meta.url), { workerData })
  const done = new Promise<void>((resolve, reject) => {
    worker.once('error', reject)
    worker.once('exit', () => resolve())
  })
  done.catch(() => {})
  return { done, stop: () => worker.postMessage('stop'), readings: async () => [] }
}

/** Rejects when the thread ends. If the thread failed, rejects with its failure. */
const neverEnds = ({ done }: ProgramThread): Promise<never> =>
  done.then(() => Promise.reject(new OperationError('program_failed', 'a program ended before it was told to')))

async function isLive(database: Database): Promise<void> {
  const cuts = createCuts({ database })
  for (;;) {
    const cut = await cuts.newest([chainAStage]).catch(() => null)
    const blockAtMs = cut?.stages[chainAStage.name]?.blockAtMs ?? 0
    if (Date.now() - blockAtMs < 4_000) return
    await sleep(500)
  }
}

type Answering = Readonly<{ config: Config; database: Database; refreshMs: number; way: Way; signal: AbortSignal }>
type Answered = Readonly<{ refreshMs: number; cut: Passed; bytes: Passed; done: Promise<void> }>

/**
 * Requests the newest bursts again and again, as the API does. Records when a new data time (cut) is found,
 * and when the bytes of its answer are ready.
 */
function followAnswers({ config, database, refreshMs, way, signal }: Answering): Answered {
  const cuts = createCuts({ database })
  const answers = createAnswers({ cuts, nowMs: Date.now, refreshMs })
  const stopListening = onBatchWritten(answers.batchWritten)
  const routes = routesOf(
    createSources({ config, database, ruleIdSecret: 'only-for-the-bench', callerIdSecret: 'only-for-the-bench' }),
  )
  const route = routes.find(({ pattern }) => pattern === '/v1/rh/bursts/live')
  const parsed = route && parseParams(route.params, { query: {}, path: {} })
  if (!route || !parsed || 'refusal' in parsed) throw new TypeError('the route of the newest bursts is gone')
  const cut = new Map<number, number>()
  const bytes = new Map<number, number>()
  const follow = async () => {
    for (; !signal.aborted; await sleep(pollMs)) {
      const newest = await answers.newestCut([chainAStage])
      if (newest === null) continue
      const cutAtMs = Date.now()
      await answers.answer(route, parsed.values, newest)
      for (const [seq, knownAtMs] of way.knownAtMs) {
        if (knownAtMs > newest.atMs || cut.has(seq)) continue
        cut.set(seq, cutAtMs)
        bytes.set(seq, Date.now())
      }
    }
  }
  return { refreshMs, cut, bytes, done: follow().finally(stopListening) }
}

function print(seqs: readonly number[], { knownAtMs, points }: Way, { refreshMs, cut, bytes }: Answered): void {
  const times = seqs.map((seq) => Number(knownAtMs.get(seq)))
  const stepMs = Math.round((Math.max(...times) - Math.min(...times)) / Math.max(1, seqs.length - 1))
  console.log(
    `a cut every ${refreshMs} ms at most, ${seqs.length} ticks ${stepMs} ms apart, from the instant at which their facts were known:`,
  )
  const line = (name: string, passed: Passed) => {
    const ms = seqs.flatMap((seq) => (passed.has(seq) ? [Number(passed.get(seq)) - Number(knownAtMs.get(seq))] : []))
    ms.sort((left, right) => left - right)
    const at = (share: number) => Math.round(ms[Math.floor(ms.length * share)] ?? Number.NaN)
    console.log(`  ${name.padEnd(48)}p50 ${at(0.5)} ms, p99 ${at(0.99)} ms (${ms.length} seen)`)
  }
  line('facts read again, by another thread', points.factsRead)
  line('derived records appended, in all partitions', points.derivedAppended)
  line('derived records read, by another thread', points.derivedRead)
  line('rows of all partitions begun to be written', points.rowsBegun)
  line('rows and watermarks of all partitions written', points.rowsWritten)
  const wake = between(seqs, points.derivedAppended, points.derivedRead)
  console.log(`  from the last append to its reader in another thread: p50 ${wake[0]} ms, p99 ${wake[1]} ms`)
  line('a cut that covers it, seen by the API', cut)
  line('bytes of the answer', bytes)
}

/** Returns the p50 and p99 of the time between two points, in milliseconds. */
function between(seqs: readonly number[], from: Passed, to: Passed): readonly [number, number] {
  const ms = seqs.flatMap((seq) => (from.has(seq) && to.has(seq) ? [Number(to.get(seq)) - Number(from.get(seq))] : []))
  ms.sort((left, right) => left - right)
  const at = (share: number) => Math.round(ms[Math.floor(ms.length * share)] ?? Number.NaN)
  return [at(0.5), at(0.99)]
}
