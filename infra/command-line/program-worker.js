// The entry file of a worker thread. It loads the code for `workerData.program` and runs it.
import { workerData } from 'node:worker_threads'
import { loadProgram } from '../typescript/load-program.js'

const { runInWorker } = await loadProgram(new URL('./program-worker.ts', import.meta.url), workerData.program)
await runInWorker()
