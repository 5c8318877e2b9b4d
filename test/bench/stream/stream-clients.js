// The first file of a process. It imports the compiled program, which opens the clients of a stream.
import { importTypeScript } from '../../../infra/typescript/import.js'

const { runStreamClients } = await importTypeScript(new URL('./stream-clients.ts', import.meta.url))
await runStreamClients()
