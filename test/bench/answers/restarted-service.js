// As `launch-data up` starts.
import { loadProgram } from '../../../infra/typescript/load-program.js'

const { serveAgain } = await loadProgram(new URL('./restarted-service.ts', import.meta.url))
await serveAgain(process.argv[2])
