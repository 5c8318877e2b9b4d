// A worker thread's first file: registers the TypeScript loader there, then runs the program that the thread is for.
import { register } from 'tsx/esm/api'

register()
const { runInWorker } = await import('./program-worker.ts')
await runInWorker()
