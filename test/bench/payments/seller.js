// The first file of a process. It imports the program in TypeScript. The arguments of the process say how the
// program sells.
import { importTypeScript } from '../../../infra/typescript/import.js'

const { runSeller } = await importTypeScript(new URL('./seller.ts', import.meta.url))
await runSeller(process.argv[2], process.argv[3])
