// A process's first file: imports its compiled program, which sells as it is told.
import { importTypeScript } from '../../../infra/typescript/import.js'

const { runSeller } = await importTypeScript(new URL('./seller.ts', import.meta.url))
await runSeller(process.argv[2], process.argv[3])
