/** One program in a process of its own; the log and the tables are on servers, where the others find them. */
import type { Config } from '../config.ts'
import { OperationError } from '../errors.ts'
import { logSettings, openLog } from '../log/open-log.ts'
import type { ProgramContext, ProgramName } from '../program.ts'
import { runTogether } from '../run-together.ts'
import type { Logger } from '../telemetry.ts'
import { announceService } from './announce.ts'
import { startThread } from './program-thread.ts'
import { programs } from './programs.ts'
import { createProgressLine } from './progress-line.ts'
import { createReporter } from './reporter.ts'
import { startServing } from './serve.ts'

/** Runs until the signal aborts or the program fails. */
export async function runApart(program: ProgramName, context: Omit<ProgramContext, 'share' | 'report'>): Promise<void> {
  const { config, logger, signal } = context
  logger.info(`${program} has started`)
  const line = createProgressLine(process.stderr, Date.now)
  const report = createReporter(logger, line.show)
  const threadCount = program === 'process' ? config.STAGE_THREADS : 1
  try {
    if (threadCount > 1) await runThreads(threadCount, { config, signal, report })
    else await programs[program]({ ...context, report, share: { index: 0, count: 1 } })
  } finally {
    line.end()
  }
}

/** Workers like those of other processes; the first that fails ends the others. */
async function runThreads(
  count: number,
  { config, signal, report }: Pick<ProgramContext, 'config' | 'signal' | 'report'>,
): Promise<void> {
  const threads = Array.from({ length: count }, (_, index) =>
    startThread('process', { config, onProgress: report, share: { index, count } }),
  )
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

/** Serves until the signal aborts, or another `serve` takes over the ledger of payments: that one sells from then on. */
export async function runServe(config: Config, logger: Logger, signal: AbortSignal): Promise<void> {
  const open = await openLog(logSettings(config, { nowMs: Date.now, logger }))
  const lost = new AbortController()
  try {
    const api = await startServing({ config, logger, open, onLedgerLost: () => lost.abort(ledgerLost()) })
    announceService(config, api)
    await aborted(AbortSignal.any([signal, lost.signal]))
    await api.stop()
    lost.signal.throwIfAborted()
  } finally {
    await open.close()
  }
}

export const ledgerLost = () =>
  new OperationError(
    'writer_fenced',
    'another serve has taken over the ledger of payments: one sells at a time, and this one stops. No payment was lost',
  )

export const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve()
    else signal.addEventListener('abort', () => resolve(), { once: true })
  })
