// The first file of a process. It imports the program in TypeScript. The program is a client for the
// benchmarks.
import { importTypeScript } from '../../../infra/typescript/import.js'

const { runLoadClient } = await importTypeScript(new URL('./load-client.ts', import.meta.url))
await runLoadClient()
