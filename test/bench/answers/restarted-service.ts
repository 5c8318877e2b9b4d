/** Starts the service on a data directory, as `launch-data up` does. Ingest runs without a node. */
import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { openConsole } from '../../../infra/command-line/console.ts'
import { type ProgramThread, startThread } from '../../../infra/command-line/program-thread.ts'
import { runAll } from '../../../infra/command-line/up.ts'
import { readConfig } from '../../../infra/config.ts'

export async function serveAgain(dataDir: string): Promise<void> {
  const config = readConfig({ ...process.env, DATA_DIR: dataDir, LOG_LEVEL: 'error' })
  const console = openConsole({ program: 'bench', level: 'error' })
  const start: typeof startThread = (program, options) =>
    program === 'ingest' ? startQuietIngest(dataDir) : startThread(program, options)
  await runAll(start, { config, console, signal: new AbortController().signal })
}

function startQuietIngest(dataDir: string): ProgramThread {
  const worker = new Worker(new URL('./quiet-ingest.js', import.meta.url), { workerData: { dataDir } })
  return { done: once(worker, 'exit').then(() => {}), stop: () => void worker.terminate(), readings: async () => [] }
}
