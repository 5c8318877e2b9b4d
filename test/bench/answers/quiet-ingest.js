// A worker thread's first file: registers the TypeScript loader there, then closes the last block again and again.
import { register } from 'tsx/esm/api'
import { loadPackages } from '../../../infra/command-line/load-packages.js'

await loadPackages('ingest')
register()
const { runQuietIngest } = await import('./quiet-ingest.ts')
await runQuietIngest()
