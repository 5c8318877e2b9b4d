// A worker thread's first file: imports its compiled program, which derives what the plan says.
import { importTypeScript } from '../../../../infra/typescript/import.js'

const { derive } = await importTypeScript(new URL('./derive-worker.ts', import.meta.url))
await derive()
