// The first file of a worker thread. It imports the compiled program, which runs its share of the stage.
import { importTypeScript } from '../../../infra/typescript/import.js'

const { runShare } = await importTypeScript(new URL('./stage-thread.ts', import.meta.url))
await runShare()
