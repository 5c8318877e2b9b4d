// The first file of a worker thread. It loads the program, which is in TypeScript. The program repeats the
// tick of the last block again and again.
import { loadProgram } from '../../../infra/typescript/load-program.js'

const { runQuietIngest } = await loadProgram(new URL('./quiet-ingest.ts', import.meta.url))
await runQuietIngest()
