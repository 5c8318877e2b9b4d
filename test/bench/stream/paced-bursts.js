// The first file of a worker thread. It imports the compiled program, which publishes bursts as time passes.
import { importTypeScript } from '../../../infra/typescript/import.js'

const { runPacedBursts } = await importTypeScript(new URL('./paced-bursts.ts', import.meta.url))
await runPacedBursts()
