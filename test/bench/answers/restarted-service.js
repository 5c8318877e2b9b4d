// As `launch-data up` starts.
import { limitHeapGrowth } from '../../../infra/command-line/heap-growth.js'
import { loadProgram } from '../../../infra/typescript/load-program.js'

limitHeapGrowth()
const { serveAgain } = await loadProgram(new URL('./restarted-service.ts', import.meta.url))
await serveAgain(process.argv[2])
