import { setTimeout as sleep } from 'node:timers/promises'
import { createDatabase } from '../../infra/clickhouse/database.ts'
import { startThread } from '../../infra/command-line/program-thread.ts'
import { readConfig } from '../../infra/config.ts'
import { openLog } from '../../infra/log/open-log.ts'
import { createCuts } from '../../projections/cuts.ts'
import { chainAStage } from '../../schemas/chain-a/stage.ts'
import { silentConsole } from './silent-console.ts'

type LatencyBench = Readonly<{ dataDir: string; seconds: number }>

const pollMs = 10
const sampleMs = 5

/**
 * Prints how long after the log knew something an answer holds it, on the running service (simulated market, live): p50
 * and p99, at the default grid of cuts and at a fine one. The grid itself accounts for half of it on average.
 */
export async function measureLatency({ dataDir, seconds }: LatencyBench): Promise<void> {
  const config = readConfig({ DATA_DIR: dataDir, LOG_LEVEL: 'error' })
  const open = await openLog({ dataDir, nowMs: Date.now })
  const threads = (['ingest', 'process', 'project'] as const).map((program) =>
    startThread(program, { config, console: silentConsole }),
  )
  const database = await createDatabase({ dataDir, role: 'reader' })
  try {
    for (const gridMs of [config.VIEW_REFRESH_MS, 100]) {
      const cuts = createCuts({ database, gridMs })
      const latencies = await observe(async () => (await cuts.newest([chainAStage]))?.atMs ?? null, seconds * 1000)
      console.log(
        `fact to answer, cuts every ${gridMs} ms: p50 ${at(latencies, 0.5)} ms, p99 ${at(latencies, 0.99)} ms`,
      )
    }
  } finally {
    for (const thread of threads) thread.stop()
    await Promise.allSettled(threads.map(({ done }) => done))
    await database.close()
    await open.close()
  }
}

/** For every instant of knowledge, a sample each 5 ms: when a cut first covered it, less when it was. */
async function observe(newestCutAtMs: () => Promise<number | null>, durationMs: number): Promise<number[]> {
  const latencies: number[] = []
  let coveredMs = await firstLiveCut(newestCutAtMs)
  const untilMs = Date.now() + durationMs
  while (Date.now() < untilMs) {
    const cutAtMs = (await newestCutAtMs()) ?? coveredMs
    const seenAtMs = Date.now()
    for (; coveredMs <= cutAtMs; coveredMs += sampleMs) latencies.push(seenAtMs - coveredMs)
    await sleep(pollMs)
  }
  return latencies.sort((a, b) => a - b)
}

async function firstLiveCut(newestCutAtMs: () => Promise<number | null>): Promise<number> {
  for (;;) {
    const cutAtMs = await newestCutAtMs().catch(() => null)
    if (cutAtMs !== null && Date.now() - cutAtMs < 5000) return cutAtMs + sampleMs
    await sleep(100)
  }
}

const at = (sorted: readonly number[], share: number): number =>
  Math.round(sorted[Math.floor(sorted.length * share)] ?? Number.NaN)
