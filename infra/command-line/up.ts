/** `launch-data up`: everything in one process, on the embedded log and tables or on the servers that the configuration names. */
import type { Service } from '../../api/main.ts'
import type { Config } from '../config.ts'
import { type DataDirLock, lockDataDir } from '../data-dir/data-dir-lock.ts'
import { logChoiceOf, logSettings, openLog } from '../log/open-log.ts'
import { announceService } from './announce.ts'
import { aborted, ledgerLost } from './apart.ts'
import type { Console } from './console.ts'
import { type ProgramThread, startThread } from './program-thread.ts'

/** Runs until the signal aborts or a program fails; then stops all of them and, in the second case, throws its failure. */
export async function runUp(config: Config, console: Console, signal: AbortSignal): Promise<void> {
  const { logger } = console
  const lock = await lockIfEmbedded(config)
  const threads: ProgramThread[] = []
  try {
    if (config.CLICKHOUSE_URL === undefined) await (await import('../clickhouse/connect.ts')).holdEngine()
    const open = await openLog(logSettings(config, { nowMs: Date.now, logger }))
    for (const notice of open.notices ?? []) logger.warn(notice)
    let service: Service | null = null
    try {
      threads.push(...startThreads(config, console))
      // The threads load their modules meanwhile.
      const { startServing } = await import('../../api/main.ts')
      const lost = new AbortController()
      const onLedgerLost = () => lost.abort(ledgerLost())
      service = await startServing({ config, logger, open, onLedgerLost, onHeadline: console.headline })
      announceService(config, service, console)
      await Promise.race([aborted(AbortSignal.any([signal, lost.signal])), failureOf(threads)])
      lost.signal.throwIfAborted()
    } finally {
      await service?.stop()
      for (const thread of threads) thread.stop()
      await Promise.allSettled(threads.map((thread) => thread.done))
      await open.close()
    }
  } finally {
    await lock?.release()
  }
}

function startThreads(config: Config, console: Console): readonly ProgramThread[] {
  const count = config.STAGE_THREADS
  return [
    startThread('ingest', { config, console }),
    ...Array.from({ length: count }, (_, index) =>
      startThread('process', { config, console, share: { index, count } }),
    ),
    startThread('project', { config, console }),
  ]
}

/** With both on servers nothing of the data directory needs an owner, and the lock's package may not be installed. */
export function lockIfEmbedded(config: Config): Promise<DataDirLock | null> {
  const isEmbedded = !logChoiceOf(config).isShared || config.CLICKHOUSE_URL === undefined
  return isEmbedded ? lockDataDir(config.DATA_DIR) : Promise.resolve(null)
}

/** Rejects with the first failure; never resolves, since no program ends by itself. */
const failureOf = (threads: readonly ProgramThread[]): Promise<never> =>
  new Promise((_, reject) => {
    for (const { done } of threads) done.catch(reject)
  })
