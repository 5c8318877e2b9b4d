// A process's first file: imports its compiled program, which becomes a client of the bench.
import { importTypeScript } from '../../../infra/typescript/import.js'

const { runLoadClient } = await importTypeScript(new URL('./load-client.ts', import.meta.url))
await runLoadClient()
