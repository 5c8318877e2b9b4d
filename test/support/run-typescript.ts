/** The path of the script that runs a TypeScript file. Usage: `node <this path> FILE.ts [arguments]`. */
import { fileURLToPath } from 'node:url'

export const runTypeScript = fileURLToPath(new URL('../../infra/typescript/run.js', import.meta.url))
