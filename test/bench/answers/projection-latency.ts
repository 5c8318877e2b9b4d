import { setTimeout as sleep } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import { createDatabase, type Database } from '../../../infra/clickhouse/database.ts'
import { type ProgramThread, startThread } from '../../../infra/command-line/program-thread.ts'
import { readConfig } from '../../../infra/config.ts'
import { OperationError } from '../../../infra/errors.ts'
import { openLog } from '../../../infra/log/open-log.ts'
import { createIngestCodecs } from '../../../ingest/codecs.ts'
import { chainAStage } from '../../../schemas/chain-a/stage.ts'
import { tickKey, topics } from '../../../schemas/topics.ts'
import { count } from '../rounds.ts'
import { type PacedPublisherData, type PublishedTick, preciseNowMs } from './paced-publisher.ts'
import { silentConsole } from './silent-console.ts'

type LatencyBench = Readonly<{ dataDir: string; seconds: number }>

const swapsPerSecond = 2000
const pools = 400
const warmUpMs = 5000
const pollMs = 5
/** The ticks of the last second of a run are left out, because their rows may not be in the tables yet. */
const settleMs = 1000

/**
 * Measures the time from a tick's append until a reader sees its rows in the tables. The stage and the
 * projections run in threads as in the service. For comparison, measures the time until another thread reads
 * the same tick from the log.
 */
export async function measureProjectionLatency({ dataDir, seconds }: LatencyBench): Promise<void> {
  const config = readConfig({ DATA_DIR: dataDir, METRICS_PORT: '0', LOG_LEVEL: 'error' })
  const open = await openLog({ dataDir, nowMs: Date.now })
  const threads = (['process', 'project'] as const).map((program) =>
    startThread(program, { config, console: silentConsole }),
  )
  const publisher = startPublisher({ dataDir, swapsPerSecond, pools })
  const stopping = new AbortController()
  const database = await createDatabase({ dataDir, role: 'reader' })
  try {
    const echoes = followLog(open, stopping.signal)
    const rows = followTables(database, stopping.signal)
    const fromMs = (await Promise.race([rows.begun, ...threads.map(neverEnds)])) + warmUpMs
    await sleep(warmUpMs + seconds * 1000)
    const untilMs = preciseNowMs() - settleMs
    stopping.abort()
    const seen = { echo: await echoes, rows: await rows.done }
    const measured = publisher.ticks.filter(({ atMs }) => atMs > fromMs && atMs < untilMs)
    console.log(
      `${count(swapsPerSecond)} swaps/s in ${pools} pools, 4 ticks a second, ${measured.length} of them, from the append:`,
    )
    const echo = printLatency('read from the log again', measured, seen.echo)
    const tables = printLatency('rows in the tables', measured, seen.rows)
    console.log(`  ${(tables / echo).toFixed(0)} x the log alone at the median; inserts are gathered for up to 250 ms`)
  } finally {
    stopping.abort()
    for (const thread of [...threads, publisher]) thread.stop()
    await Promise.allSettled([...threads, publisher].map(({ done }) => done))
    await database.close()
    await open.close()
  }
}

function startPublisher(workerData: PacedPublisherData): ProgramThread & Readonly<{ ticks: PublishedTick[] }> {
  const ticks: PublishedTick[] = []
  const worker = new Worker(new URL('./paced-publisher.js', import.meta.url), { workerData })
  worker.on('message', (tick: PublishedTick) => ticks.push(tick))
  const done = new Promise<void>((resolve, reject) => {
    worker.once('error', reject)
    worker.once('exit', () => resolve())
  })
  done.catch(() => {})
  return { ticks, done, stop: () => worker.postMessage('stop'), readings: async () => [] }
}

/** Returns the times at which this thread first saw each tick, by the number of the tick. */
async function followLog(
  { log, registry }: Pick<Awaited<ReturnType<typeof openLog>>, 'log' | 'registry'>,
  signal: AbortSignal,
): Promise<Map<number, number>> {
  const seen = new Map<number, number>()
  const { facts } = await createIngestCodecs(chainAStage, registry)
  const position = { topic: 'chain-a-facts', partition: 0 } as const
  let { endOffset: offset } = await log.bounds('chain-a-facts', 0)
  while (!signal.aborted) {
    await log.waitForAppend({ ...position, offset }, signal)
    for (const batch of await log.read({ ...position, offset })) {
      const value = batch.keyAt(batch.count - 1) === tickKey ? batch.valueAt(batch.count - 1) : null
      const record = value && facts.decode(value)
      if (record?.type === 'Tick') seen.set(record.data.seq, preciseNowMs())
      offset = batch.nextOffset
    }
  }
  return seen
}

type Followed = Readonly<{ begun: Promise<number>; done: Promise<Map<number, number>> }>

/**
 * Records when a reader of the tables first saw each tick in every partition. `begun` is the time when the
 * reader first saw any row.
 */
function followTables(database: Database, signal: AbortSignal): Followed {
  const seen = new Map<number, number>()
  let begin: (atMs: number) => void = () => {}
  const begun = new Promise<number>((resolve) => {
    begin = resolve
  })
  const follow = async () => {
    for (let covered: number | null = null; !signal.aborted; await sleep(pollMs)) {
      // Before the first migration there are no tables, and the query fails.
      const seq = await seqInTables(database).catch(() => null)
      const atMs = preciseNowMs()
      if (seq === null) continue
      begin(atMs)
      for (let each = (covered ?? seq - 1) + 1; each <= seq; each++) seen.set(each, atMs)
      covered = seq
    }
    return seen
  }
  return { begun, done: follow() }
}

/** Rejects when the thread ends. If the thread failed, rejects with its failure. */
const neverEnds = ({ done }: ProgramThread): Promise<never> =>
  done.then(() => Promise.reject(new OperationError('program_failed', 'a program ended before it was told to')))

/**
 * Returns the number of the newest tick that all partitions have. Returns null if a partition has no rows
 * yet.
 */
async function seqInTables(database: Database): Promise<number | null> {
  const [row] = await database.query<{ partitions: string; seq: string }>(
    `SELECT count() AS partitions, min(newest) AS seq FROM
       (SELECT log_partition, max(seq) AS newest FROM watermarks WHERE state = 'done' GROUP BY log_partition)`,
  )
  return row && Number(row.partitions) === topics['chain-a-facts'].partitionCount ? Number(row.seq) : null
}

function printLatency(name: string, ticks: readonly PublishedTick[], seen: ReadonlyMap<number, number>): number {
  const latencies = ticks
    .flatMap(({ seq, atMs }) => {
      const seenAtMs = seen.get(seq)
      return seenAtMs === undefined ? [] : [seenAtMs - atMs]
    })
    .sort((left, right) => left - right)
  const at = (share: number): number => latencies[Math.floor(latencies.length * share)] ?? Number.NaN
  console.log(
    `  ${name.padEnd(26)}p50 ${at(0.5).toFixed(1)} ms, p99 ${at(0.99).toFixed(1)} ms (${latencies.length} ticks seen)`,
  )
  return at(0.5)
}
