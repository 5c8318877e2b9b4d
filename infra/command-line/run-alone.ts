/** Runs one program in a separate process. The log and the tables are on servers, which all programs share. */
import type { Config } from '../config.ts'
import { OperationError } from '../errors.ts'
import { logSettings, openLog } from '../log/open-log.ts'
import type { ProgramName } from '../program.ts'
import { runTogether } from '../run-together.ts'
import { announceService } from './announce.ts'
import { exportDays } from './archive/export-days.ts'
import type { Console } from './console.ts'
import { type OperatorPort, openOperatorPort } from './operator-port.ts'
import { startThread } from './program-thread.ts'
import { runProgram } from './programs.ts'

type Running = Readonly<{ config: Config; console: Console; signal: AbortSignal }>

/** Runs until the signal aborts or the program fails. */
export async function runAlone(program: ProgramName, running: Running): Promise<void> {
  const { config, console, signal } = running
  const { logger, report } = console
  logger.info(`${program} has started`)
  const threadCount = program === 'process' ? config.STAGE_THREADS : 1
  await withOperatorPort(program, running, async (operators) => {
    operators.readyWhen(async () => 'ok')
    if (threadCount > 1) return runThreads(threadCount, running, operators)
    const { metrics } = operators
    // One ingest runs at a time, so each day is exported one time.
    const exporting = program === 'ingest' ? exportDays(config, { logger, metrics, signal }) : null
    await runProgram(program, { config, logger, signal, report, metrics, share: { index: 0, count: 1 } })
    await exporting
  })
}

/** Runs the work with a port for operators, if the configuration has one. */
async function withOperatorPort(
  program: ProgramName | 'serve',
  { config, console: { logger }, signal }: Running,
  work: (operators: OperatorPort) => Promise<void>,
): Promise<void> {
  const { METRICS_PORT: port = 0, DATA_DIR: dataDir } = config
  const operators = await openOperatorPort({ port, program, dataDir, logger })
  signal.addEventListener('abort', operators.drain, { once: true })
  try {
    await work(operators)
  } finally {
    await operators.close()
  }
}

/**
 * Starts threads that divide the partitions of the log among themselves, as separate processes would. If a
 * thread fails, the others are stopped.
 */
async function runThreads(count: number, { config, console, signal }: Running, operators: OperatorPort): Promise<void> {
  const { isOpen: isMeasured } = operators
  const threads = Array.from({ length: count }, (_, index) =>
    startThread('process', { config, console, share: { index, count }, isMeasured }),
  )
  for (const [thread, { readings }] of threads.entries()) operators.add({ program: 'process', thread, readings })
  const stop = new AbortController()
  const stopAll = () => {
    for (const thread of threads) thread.stop()
  }
  AbortSignal.any([signal, stop.signal]).addEventListener('abort', stopAll, { once: true })
  if (signal.aborted) stopAll()
  await runTogether(
    threads.map(({ done }) => done),
    stop,
  )
}

/**
 * Serves until the signal aborts, or until another `serve` process opens the ledger of payments. After that,
 * only the other process may sell answers.
 */
export const runServe = (config: Config, console: Console, signal: AbortSignal): Promise<void> =>
  withOperatorPort('serve', { config, console, signal }, (operators) =>
    serveMeasured({ config, console, signal }, operators),
  )

async function serveMeasured({ config, console, signal }: Running, operators: OperatorPort): Promise<void> {
  const { logger } = console
  const { startServing } = await import('../../api/main.ts')
  const open = await openLog(logSettings(config, { nowMs: Date.now, logger }))
  const lost = new AbortController()
  const onLedgerLost = () => lost.abort(ledgerLost())
  try {
    const onTablesLost = (failure: OperationError) => lost.abort(failure)
    const service = await startServing({
      ...{ config, logger, open, onLedgerLost, onTablesLost },
      metrics: operators.metrics,
      onHeadline: console.headline,
    })
    operators.readyWhen(service.readiness)
    announceService(config, service, console)
    await aborted(AbortSignal.any([signal, lost.signal]))
    operators.drain()
    await service.stop()
    lost.signal.throwIfAborted()
  } finally {
    await open.close()
  }
}

export const ledgerLost = () =>
  new OperationError(
    'writer_fenced',
    'another "launch-data serve" opened the payment ledger, which fenced this process. This process stops, because only one process may sell at a time. No payment was lost',
  )

export const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve()
    else signal.addEventListener('abort', () => resolve(), { once: true })
  })
