// A worker thread's first file: registers the TypeScript loader there, then runs the half of the soak that the thread is for.
import { register } from 'tsx/esm/api'

register()
const { runSoakWorker } = await import('./soak-worker.ts')
await runSoakWorker()
