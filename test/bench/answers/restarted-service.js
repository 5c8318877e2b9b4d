// As `launch-data up` starts, so that the loader is registered once and in the same place.
import { register } from 'tsx/esm/api'
import { loadPackages } from '../../../infra/command-line/load-packages.js'

await loadPackages('up')
register()
const { serveAgain } = await import('./restarted-service.ts')
await serveAgain(process.argv[2])
