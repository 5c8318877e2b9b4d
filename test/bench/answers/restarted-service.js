// As `launch-data up` starts.
import { allocateYoung, limitHeapGrowth } from '../../../infra/command-line/garbage-collection.js'
import { bundleProgram, loadProgram } from '../../../infra/typescript/load-program.js'

allocateYoung()
limitHeapGrowth()
// The command and the programs of its threads are bundled together.
await bundleProgram(new URL('../../../infra/command-line/program-worker.ts', import.meta.url))
const { serveAgain } = await loadProgram(new URL('./restarted-service.ts', import.meta.url))
await serveAgain(process.argv[2])
