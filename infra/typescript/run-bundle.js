// Runs a bundle, and stores the code that V8 compiled from it. Later starts load the stored code, which takes
// a fraction of the time.
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { isAbsolute } from 'node:path'
import { pathToFileURL } from 'node:url'
import { Script } from 'node:vm'
import { crc32 } from 'node:zlib'
import { writeNew } from './compile.js'
import { nameSources } from './name-sources.js'

/**
 * The time after which the compiled code is stored, in milliseconds. V8 compiles a function at its first
 * call. By this time, a program has called all functions that a start needs.
 */
const keptAfterMs = 10_000

const head = '(function (exports, require, module, __filename, __bundleUrl) {'

/**
 * Returns the exports of a bundle. Fails with `ENOENT` if the bundle was removed, because another process has
 * bundled newer sources.
 *
 * @param {string} path
 * @param {string} use a name for what this thread does with the bundle. Each use has its own compiled code,
 * because each use calls other functions.
 */
export function runBundle(path, use) {
  const codePath = `${path}.${use}.code`
  const cachedData = readCode(codePath)
  const source = readFileSync(path, 'utf8')
  const script = new Script(`${head}${source}\n})`, {
    filename: path,
    // Makes the columns of the first line equal to the columns in the bundle. The source map of the bundle
    // does not know the added head.
    columnOffset: -head.length,
    cachedData,
  })
  // V8 rejects code from another version of Node, or from other V8 options.
  if (cachedData === undefined || script.cachedDataRejected)
    setTimeout(() => void keepCode(codePath, script.createCachedData()), keptAfterMs).unref()
  nameSources(path)
  const module = { exports: {} }
  const run = script.runInThisContext()
  run.call(module.exports, module.exports, requireIn(path, use), module, path, pathToFileURL(path).href)
  return module.exports
}

/** The exports of the packages that are bundles of their own, by the path of the bundle. */
const packages = new Map()

/**
 * Returns the `require` of a bundle. A bundle requires other bundles by their paths.
 *
 * @param {string} path
 * @param {string} use
 */
function requireIn(path, use) {
  const require = createRequire(path)
  /** @param {string} id */
  const load = (id) => {
    if (!isAbsolute(id) || !id.endsWith('.cjs')) return require(id)
    if (!packages.has(id)) packages.set(id, runBundle(id, use))
    return packages.get(id)
  }
  return Object.assign(load, require)
}

/**
 * Reads the compiled code. The last bytes of the file are a checksum. V8 does not check the code, and damaged
 * code can end the process.
 *
 * @param {string} path
 */
function readCode(path) {
  try {
    const bytes = readFileSync(path)
    const code = bytes.subarray(0, -checksumSize)
    return crc32(code) === bytes.readUInt32LE(code.length) ? code : undefined
  } catch {
    return undefined
  }
}

const checksumSize = 4

/**
 * Stores the compiled code. A failure is ignored, because a start works without the file. So a user who may
 * not write the file can still run the programs.
 *
 * @param {string} path
 * @param {Buffer} code
 */
async function keepCode(path, code) {
  const checksum = Buffer.alloc(checksumSize)
  checksum.writeUInt32LE(crc32(code))
  await writeNew(path, Buffer.concat([code, checksum])).catch(() => {})
}
