// Imports TypeScript files in programs and worker threads, compiled beforehand.
import { getEnvironmentData, setEnvironmentData } from 'node:worker_threads'
import { compiledUrl } from './compile.js'

/** The folders that this process has compiled. Worker threads get it from the thread that started them. */
const freshName = 'launch-data compiled folders'

/** @param {URL} url of a `.ts` file of this checkout */
export async function importTypeScript(url) {
  // Stack traces name the TypeScript files.
  process.setSourceMapsEnabled(true)
  const known = /** @type {readonly string[] | undefined} */ (getEnvironmentData(freshName)) ?? []
  const { href, fresh } = await compiledUrl(url, known)
  setEnvironmentData(freshName, fresh)
  return import(href)
}
