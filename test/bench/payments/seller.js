// The first file of a process. It imports the compiled program, which sells as its arguments say.
import { importTypeScript } from '../../../infra/typescript/import.js'

const { runSeller } = await importTypeScript(new URL('./seller.ts', import.meta.url))
await runSeller(process.argv[2], process.argv[3])
