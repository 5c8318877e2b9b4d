// A worker thread's first file: registers the TypeScript loader there, then derives what the plan says.
import { register } from 'tsx/esm/api'

register()
const { derive } = await import('./derive-worker.ts')
await derive()
