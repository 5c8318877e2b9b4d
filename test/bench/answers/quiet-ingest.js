// The first file of a worker thread. It imports the compiled program, which closes the last block again and again.
import { importTypeScript } from '../../../infra/typescript/import.js'

const { runQuietIngest } = await importTypeScript(new URL('./quiet-ingest.ts', import.meta.url))
await runQuietIngest()
