// As `launch-data up` starts.
import { importTypeScript } from '../../../infra/typescript/import.js'

const { serveAgain } = await importTypeScript(new URL('./restarted-service.ts', import.meta.url))
await serveAgain(process.argv[2])
