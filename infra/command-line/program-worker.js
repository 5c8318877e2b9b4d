// The first file of a worker thread: it loads the program of the thread.
import { workerData } from 'node:worker_threads'
import { loadProgram } from '../typescript/load-program.js'

const { runInWorker } = await loadProgram(new URL('./program-worker.ts', import.meta.url), workerData.program)
await runInWorker()
