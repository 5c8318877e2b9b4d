// A process's first file: registers the TypeScript loader there, then becomes the clients of a stream.
import { register } from 'tsx/esm/api'

register()
const { runStreamClients } = await import('./stream-clients.ts')
await runStreamClients()
