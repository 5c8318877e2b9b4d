/** `launch-data up`: runs everything in one process, on the embedded log and tables or on the configured servers. */
import { mkdirSync } from 'node:fs'
import type { Service } from '../../api/main.ts'
import type { Config } from '../config.ts'
import { type DataDirLock, lockDataDir } from '../data-dir/data-dir-lock.ts'
import { examineEnvironments } from '../data-dir/examine-environments.ts'
import type { OperationError } from '../errors.ts'
import { logChoiceOf, logSettings, openLog } from '../log/open-log.ts'
import type { ProgramName, Share } from '../program.ts'
import { announceService } from './announce.ts'
import { exportDays } from './archive/export-days.ts'
import type { Console, Task } from './console.ts'
import { measureLog } from './measure-process.ts'
import { type OperatorPort, openOperatorPort } from './operator-port.ts'
import { type ProgramThread, startThread } from './program-thread.ts'
import { aborted, ledgerLost } from './run-alone.ts'
import { mustEndSoon } from './watch-process.ts'

/** Runs until the signal aborts or a program fails, then stops all programs. Throws the failure, if there was one. */
export const runUp: Task = (config, console, signal) => runAll(startThread, { config, console, signal })

type Running = Readonly<{ config: Config; console: Console; signal: AbortSignal }>

/** The port for metrics if `METRICS_PORT` is not set. */
const metricsPortDefault = 9464

/** Does the same as `runUp`. `start` starts the thread of a program. */
export async function runAll(start: typeof startThread, running: Running): Promise<void> {
  const { config, console, signal } = running
  const { METRICS_PORT: port = metricsPortDefault, DATA_DIR: dataDir } = config
  const operators = await openOperatorPort({ port, program: 'serve', dataDir, logger: console.logger })
  signal.addEventListener('abort', operators.drain, { once: true })
  try {
    await runMeasured(start, { ...running, operators })
  } finally {
    await operators.close()
  }
}

type Measured = Running & Readonly<{ operators: OperatorPort }>

async function runMeasured(start: typeof startThread, { config, console, signal, operators }: Measured): Promise<void> {
  const { logger } = console
  const taking = takeDataDir(config, logger)
  // This thread loads the modules of the API while another process examines the files of the data directory.
  const [lock, { startServing }] = await Promise.all([taking, import('../../api/main.ts')]).catch(async (error) => {
    await taking.then((taken) => taken?.release()).catch(() => {})
    throw error
  })
  const threads: ProgramThread[] = []
  try {
    if (config.CLICKHOUSE_URL === undefined) await (await import('../clickhouse/connect.ts')).holdEngine()
    const open = await openLog(logSettings(config, { nowMs: Date.now, logger }))
    for (const notice of open.notices ?? []) logger.warn(notice)
    let service: Service | null = null
    const stopping = new AbortController()
    let exporting: Promise<void> | null = null
    try {
      const lost = new AbortController()
      const onLedgerLost = () => lost.abort(ledgerLost())
      const onTablesLost = (failure: OperationError) => lost.abort(failure)
      const { metrics, isOpen: isMeasured } = operators
      measureLog(metrics, open)
      const lostHandlers = { onLedgerLost, onTablesLost }
      service = await startServing({ config, logger, open, metrics, ...lostHandlers, onHeadline: console.headline })
      operators.readyWhen(service.readiness)
      // The other threads start when the API can quote prices. If they ran earlier, they would delay this on a machine
      // with few cores.
      for (const [program, share] of programsOf(config)) {
        const thread = start(program, { config, console, share, isMeasured })
        threads.push(thread)
        operators.add({ program, thread: share.index, readings: thread.readings })
      }
      announceService(config, service, console)
      exporting = exportDays(config, { logger, metrics, signal: stopping.signal })
      await Promise.race([aborted(AbortSignal.any([signal, lost.signal])), failureOf(threads)])
      lost.signal.throwIfAborted()
    } finally {
      mustEndSoon()
      stopping.abort()
      operators.drain()
      await service?.stop()
      for (const thread of threads) thread.stop()
      await Promise.allSettled(threads.map((thread) => thread.done))
      await exporting
      await open.close()
    }
  } finally {
    await lock?.release()
  }
}

/** Returns the program of each thread, and the share of the program's partitions that the thread processes. */
function programsOf({ STAGE_THREADS: count }: Config): readonly (readonly [ProgramName, Share])[] {
  const whole: Share = { index: 0, count: 1 }
  const stages = Array.from({ length: count }, (_, index) => ['process', { index, count }] as const)
  return [['ingest', whole], ...stages, ['project', whole]]
}

/**
 * Examines the embedded files, and then takes the lock of the data directory. A damaged file could crash this
 * process as soon as it is mapped into memory. Therefore the examination comes first, and it covers the lock
 * file too.
 * Returns null if the log and the tables are both on servers. Then no file in the directory needs an owner,
 * and the package for the lock may be absent.
 */
export async function takeDataDir(config: Config, logger: Console['logger']): Promise<DataDirLock | null> {
  const { DATA_DIR: dataDir } = config
  const hasTables = config.CLICKHOUSE_URL === undefined
  if (logChoiceOf(config).isShared && !hasTables) return null
  // Only this user may read the directory, because it contains payments and posts of private chats.
  mkdirSync(dataDir, { recursive: true, mode: 0o700 })
  await examineEnvironments(dataDir)
  const lock = await lockDataDir(dataDir)
  if (!hasTables) return lock
  const { setAsideDamagedTables } = await import('../clickhouse/damaged-tables.ts')
  const notice = setAsideDamagedTables(dataDir)
  if (notice !== null) logger.warn(notice)
  return lock
}

/** Rejects with the first failure. Never resolves, because programs only end when they are stopped. */
const failureOf = (threads: readonly ProgramThread[]): Promise<never> =>
  new Promise((_, reject) => {
    for (const { done } of threads) done.catch(reject)
  })
