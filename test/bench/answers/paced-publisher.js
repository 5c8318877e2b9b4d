// A worker thread's first file: registers the TypeScript loader there, then publishes a market as time passes.
import { register } from 'tsx/esm/api'

register()
const { runPacedPublisher } = await import('./paced-publisher.ts')
await runPacedPublisher()
