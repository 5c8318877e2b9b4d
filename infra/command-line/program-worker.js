// The first file of a worker thread: it imports the compiled program of the thread.
import { importTypeScript } from '../typescript/import.js'

const { runInWorker } = await importTypeScript(new URL('./program-worker.ts', import.meta.url))
await runInWorker()
