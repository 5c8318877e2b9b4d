// The first file of a worker thread. It imports the program in TypeScript. The program publishes simulated
// trades as time passes.
import { importTypeScript } from '../../../infra/typescript/import.js'

const { runLiveIngest } = await importTypeScript(new URL('./live-ingest.ts', import.meta.url))
await runLiveIngest()
