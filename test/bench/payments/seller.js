// A process's first file: registers the TypeScript loader there, then sells as it is told.
import { register } from 'tsx/esm/api'

register()
const { runSeller } = await import('./seller.ts')
await runSeller(process.argv[2], process.argv[3])
