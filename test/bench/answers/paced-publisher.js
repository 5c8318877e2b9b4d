// The first file of a worker thread. It imports the program in TypeScript. The program publishes simulated
// trades as time passes.
import { importTypeScript } from '../../../infra/typescript/import.js'

const { runPacedPublisher } = await importTypeScript(new URL('./paced-publisher.ts', import.meta.url))
await runPacedPublisher()
