/** `launch-data up`: everything in one process on the embedded log, or on what the configuration names. */
import type { RunningApi } from '../../api/main.ts'
import type { Config } from '../config.ts'
import { lockDataDir } from '../log/data-dir-lock.ts'
import { openLog } from '../open-log.ts'
import type { Logger } from '../telemetry.ts'
import type { ProgramName, Progress } from './program.ts'
import { type ProgramThread, startThread } from './program-thread.ts'
import { createProgressLine } from './progress-line.ts'
import { startServing } from './serve.ts'

/** Runs until the signal aborts or a program fails; then stops all of them and, in the second case, throws its failure. */
export async function runUp(config: Config, logger: Logger, signal: AbortSignal): Promise<void> {
  const lock = await lockDataDir(config.DATA_DIR)
  const open = await openLog({ dataDir: config.DATA_DIR, nowMs: Date.now })
  const show = createProgressLine(process.stderr, Date.now)
  const onProgress = reporter(logger, show.show)
  const stageThreads = Array.from({ length: config.STAGE_THREADS }, (_, index) =>
    startThread('process', { config, onProgress, share: { index, count: config.STAGE_THREADS } }),
  )
  const threads = [
    startThread('ingest', { config, onProgress }),
    ...stageThreads,
    startThread('project', { config, onProgress }),
  ]
  let api: RunningApi | null = null
  try {
    api = await startServing({ config, logger, open })
    show.end()
    announce(config, api)
    await Promise.race([aborted(signal), failureOf(threads)])
  } finally {
    show.end()
    await api?.stop()
    for (const thread of threads) thread.stop()
    await Promise.allSettled(threads.map((thread) => thread.done))
    await open.close()
    await lock.release()
  }
}

/** On a terminal every step; in the log only what a program reaches for the first time. */
function reporter(logger: Logger, show: (text: string) => void): (progress: Progress) => void {
  const live = new Set<ProgramName>()
  return ({ program, text, isLive }) => {
    show(`${program}: ${text}`)
    if (!isLive || live.has(program)) return
    live.add(program)
    logger.info({ program }, `${program} has caught up: ${text}`)
  }
}

function announce(config: Config, { port }: RunningApi): void {
  const simulated = config.CHAIN_A_RPC_URL === undefined
  const lines = [
    `Launch Data Service on http://${config.HOST}:${port}`,
    ...(simulated ? ['SIMULATED MARKET: no chain is configured (CHAIN_A_RPC_URL). Everything here is made up.'] : []),
    `Try: npm run pay -- "/v1/rh/bursts/history?hours=1"`,
  ]
  process.stdout.write(`${lines.join('\n')}\n`)
}

const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve()
    else signal.addEventListener('abort', () => resolve(), { once: true })
  })

/** Rejects with the first failure; never resolves, since no program ends by itself. */
const failureOf = (threads: readonly ProgramThread[]): Promise<never> =>
  new Promise((_, reject) => {
    for (const { done } of threads) done.catch(reject)
  })
