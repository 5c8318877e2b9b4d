// The first file of a process. It imports the compiled program, which is a client of the bench.
import { importTypeScript } from '../../../infra/typescript/import.js'

const { runLoadClient } = await importTypeScript(new URL('./load-client.ts', import.meta.url))
await runLoadClient()
