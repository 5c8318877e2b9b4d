/** The path of the script that runs a TypeScript file. Usage: `node <this path> FILE.ts [arguments]`. */
import { fileURLToPath } from 'node:url'

export const runTypeScript = fileURLToPath(new URL('../../infra/typescript/run.js', import.meta.url))

/** The path of the script that runs `main` of a TypeScript file from a bundle. For programs that start often. */
export const runBundled = fileURLToPath(new URL('./run-bundled.js', import.meta.url))
