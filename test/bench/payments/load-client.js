// A process's first file: registers the TypeScript loader there, then becomes a client of the bench.
import { register } from 'tsx/esm/api'

register()
const { runLoadClient } = await import('./load-client.ts')
await runLoadClient()
