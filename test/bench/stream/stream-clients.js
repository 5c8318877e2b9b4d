// A process's first file: imports its compiled program, which becomes the clients of a stream.
import { importTypeScript } from '../../../infra/typescript/import.js'

const { runStreamClients } = await importTypeScript(new URL('./stream-clients.ts', import.meta.url))
await runStreamClients()
