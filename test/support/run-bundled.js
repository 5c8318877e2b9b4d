// `node test/support/run-bundled.js FILE.ts [arguments]` runs `main` of a TypeScript file of this checkout from one
// bundle. A start takes a third of the time that `infra/typescript/run.js` takes. The file and its imports must not use
// `await` at the top level.
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { loadProgram } from '../../infra/typescript/load-program.js'

const [file = ''] = process.argv.splice(2, 1)
process.argv[1] = resolve(file)
const { main } = await loadProgram(pathToFileURL(resolve(file)))
await main()
