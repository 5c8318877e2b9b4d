// The first file of a worker thread. It imports the compiled program, which publishes a market as time passes.
import { importTypeScript } from '../../../infra/typescript/import.js'

const { runPacedPublisher } = await importTypeScript(new URL('./paced-publisher.ts', import.meta.url))
await runPacedPublisher()
