/**
 * Starts the service on a data directory. The threads are those of `launch-data up`, in the same order.
 * Ingest runs without a node.
 */
import { Worker } from 'node:worker_threads'
import { startThread } from '../../../infra/command-line/program-thread.ts'
import { readConfig } from '../../../infra/config.ts'
import { openLog } from '../../../infra/log/open-log.ts'
import { createLogger } from '../../../infra/telemetry.ts'
import { silentConsole } from './silent-console.ts'

export async function serveAgain(dataDir: string): Promise<void> {
  const config = readConfig({ ...process.env, DATA_DIR: dataDir, LOG_LEVEL: 'error' })
  const open = await openLog({ dataDir, nowMs: Date.now })
  const ingest = new Worker(new URL('./quiet-ingest.js', import.meta.url), { workerData: { dataDir } })
  ingest.once('error', (error) => {
    throw error
  })
  const count = config.STAGE_THREADS
  for (let index = 0; index < count; index++)
    startThread('process', { config, console: silentConsole, share: { index, count } })
  startThread('project', { config, console: silentConsole })
  const { startServing } = await import('../../../api/main.ts')
  await startServing({
    config,
    logger: createLogger('bench', 'error'),
    open,
    onLedgerLost: () => {},
    onTablesLost: () => {},
  })
}
