// `node infra/typescript/run.js FILE.ts [arguments]` runs a TypeScript file of this checkout.
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { importTypeScript } from './import.js'

const [file = ''] = process.argv.splice(2, 1)
process.argv[1] = resolve(file)
await importTypeScript(pathToFileURL(resolve(file)))
