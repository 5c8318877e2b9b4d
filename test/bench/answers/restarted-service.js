// As `launch-data up` starts.
import { bundleProgram, loadProgram } from '../../../infra/typescript/load-program.js'

await bundleProgram(new URL('../../../infra/command-line/program-worker.ts', import.meta.url))
const { serveAgain } = await loadProgram(new URL('./restarted-service.ts', import.meta.url))
await serveAgain(process.argv[2])
