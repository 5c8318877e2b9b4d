// The first file of a worker thread. It imports the compiled program, which closes the last block again and again.
import { loadProgram } from '../../../infra/typescript/load-program.js'

const { runQuietIngest } = await loadProgram(new URL('./quiet-ingest.ts', import.meta.url))
await runQuietIngest()
