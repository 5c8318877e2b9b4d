// A worker thread's first file: imports its compiled program, which runs the half of the soak that the thread is for.
import { importTypeScript } from '../../../infra/typescript/import.js'

const { runSoakWorker } = await importTypeScript(new URL('./soak-worker.ts', import.meta.url))
await runSoakWorker()
