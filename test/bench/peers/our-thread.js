// The first file of a worker thread. It imports the compiled program, which runs its share of the job.
import { importTypeScript } from '../../../infra/typescript/import.js'

const { runShare } = await importTypeScript(new URL('./our-runtime.ts', import.meta.url))
await runShare()
