// A worker thread's first file: registers the TypeScript loader there, then runs the program that the thread is for.
import { workerData } from 'node:worker_threads'
import { register } from 'tsx/esm/api'
import { loadPackages } from './load-packages.js'

await loadPackages(workerData.program)
register()
const { runInWorker } = await import('./program-worker.ts')
await runInWorker()
