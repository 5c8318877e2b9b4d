// The first file of a worker thread: it registers the TypeScript loader there, then runs the thread's program.
import { workerData } from 'node:worker_threads'
import { register } from 'tsx/esm/api'
import { loadPackages } from './load-packages.js'

await loadPackages(workerData.program)
register()
const { runInWorker } = await import('./program-worker.ts')
await runInWorker()
