// The first file of the worker thread. It imports the compiled program, which derives the records of the plan.
import { importTypeScript } from '../../../../infra/typescript/import.js'

const { derive } = await importTypeScript(new URL('./derive-worker.ts', import.meta.url))
await derive()
