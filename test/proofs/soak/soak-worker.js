// The first file of the worker thread. It imports the compiled program, which runs this thread's part of the soak.
import { importTypeScript } from '../../../infra/typescript/import.js'

const { runSoakWorker } = await importTypeScript(new URL('./soak-worker.ts', import.meta.url))
await runSoakWorker()
