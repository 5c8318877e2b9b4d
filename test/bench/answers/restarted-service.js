// As `launch-data up` starts.
import { allocateYoung, limitHeapGrowth, optimizeAfterStart } from '../../../infra/command-line/v8-settings.js'
import { bundleProgram, loadProgram } from '../../../infra/typescript/load-program.js'

allocateYoung()
limitHeapGrowth()
optimizeAfterStart()
// The command and the programs of its threads are bundled together.
await bundleProgram(new URL('../../../infra/command-line/program-worker.ts', import.meta.url))
const { serveAgain } = await loadProgram(new URL('./restarted-service.ts', import.meta.url))
await serveAgain(process.argv[2])
