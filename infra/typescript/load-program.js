// Loads programs in processes and worker threads. They are bundled before they are loaded.
import { getEnvironmentData, setEnvironmentData } from 'node:worker_threads'
import { bundlesOf, entryOf } from './bundle.js'
import { runBundle } from './run-bundle.js'

/**
 * The name under which this process stores the bundles that are up to date. Worker threads get these bundles
 * from the thread that started them.
 */
const freshName = 'launch-data bundles'

/**
 * Runs the bundle of a TypeScript file, and returns the exports of the file. The file and its imports must
 * not use `await` at the top level.
 *
 * @param {URL} url of a `.ts` file of this checkout
 * @param {string} use a name for what the thread does with the file, if threads do different things with it
 */
export async function loadProgram(url, use = 'all') {
  // The encoding allows any text as `use`, such as an argument of the command line.
  use = encodeURIComponent(use)
  const entry = entryOf(url)
  const known = /** @type {import('./bundle.js').Bundles} */ (getEnvironmentData(freshName) ?? {})
  const bundle = known[entry] ?? (await freshBundle(entry))
  try {
    return runBundle(bundle, use)
  } catch (error) {
    // Another process may have bundled newer sources in the meantime, and removed this bundle.
    if (error.code !== 'ENOENT' || error.path !== bundle) throw error
    return runBundle(await freshBundle(entry), use)
  }
}

/**
 * Bundles a program before threads load it. Without this call, each thread would compare the files itself.
 *
 * @param {URL} url of a `.ts` file of this checkout
 */
export const bundleProgram = async (url) => void (await freshBundle(entryOf(url)))

/** @param {string} entry */
async function freshBundle(entry) {
  const bundles = await bundlesOf(entry)
  setEnvironmentData(freshName, { .../** @type {object} */ (getEnvironmentData(freshName)), ...bundles })
  return bundles[entry]
}
