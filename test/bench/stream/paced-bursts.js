// A worker thread's first file: registers the TypeScript loader there, then publishes bursts as time passes.
import { register } from 'tsx/esm/api'

register()
const { runPacedBursts } = await import('./paced-bursts.ts')
await runPacedBursts()
