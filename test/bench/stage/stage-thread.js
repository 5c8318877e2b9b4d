// A worker thread's first file: registers the TypeScript loader there, then runs its share of the stage.
import { register } from 'tsx/esm/api'

register()
const { runShare } = await import('./stage-thread.ts')
await runShare()
