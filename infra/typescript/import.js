// Imports TypeScript files in scripts and worker threads. The files are compiled before they are imported.
// Programs are loaded by `load-program.js` instead.
import { getEnvironmentData, setEnvironmentData } from 'node:worker_threads'
import { compiledUrl } from './compile.js'

/**
 * The name of the list of folders that this process has compiled. Worker threads get the list from the thread that
 * started them.
 */
const freshName = 'launch-data compiled folders'

/** @param {URL} url of a `.ts` file of this checkout */
export async function importTypeScript(url) {
  // With source maps, stack traces name the TypeScript files.
  process.setSourceMapsEnabled(true)
  const known = /** @type {readonly string[] | undefined} */ (getEnvironmentData(freshName)) ?? []
  const { href, fresh } = await compiledUrl(url, known)
  setEnvironmentData(freshName, fresh)
  return import(href)
}
