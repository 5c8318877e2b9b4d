// Runs a bundle, and keeps the code that V8 compiled of it. Later starts load this code, which takes a fraction of the time.
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { pathToFileURL } from 'node:url'
import { Script } from 'node:vm'
import { crc32 } from 'node:zlib'
import { writeNew } from './compile.js'
import { nameSources } from './name-sources.js'

/** V8 compiles a function when it is first called. After this time, a program has called what it needs at a start. */
const keptAfterMs = 10_000

const head = '(function (exports, require, module, __filename, __bundleUrl) {'

/**
 * Returns the exports of a bundle. Fails with `ENOENT` if it was removed, because another process has bundled newer sources.
 *
 * @param {string} path
 * @param {string} use a name for what this thread does with the bundle. Each use has its own compiled code, because it calls other functions.
 */
export function runBundle(path, use) {
  const codePath = `${path}.${use}.code`
  const cachedData = readCode(codePath)
  const source = readFileSync(path, 'utf8')
  const script = new Script(`${head}${source}\n})`, {
    filename: path,
    // The columns of the first line are those of the bundle, because its source map does not know the head.
    columnOffset: -head.length,
    cachedData,
  })
  // V8 rejects the code of another version of Node, or of other options of V8.
  if (cachedData === undefined || script.cachedDataRejected)
    setTimeout(() => void keepCode(codePath, script.createCachedData()), keptAfterMs).unref()
  nameSources(path)
  const module = { exports: {} }
  const run = script.runInThisContext()
  run.call(module.exports, module.exports, createRequire(path), module, path, pathToFileURL(path).href)
  return module.exports
}

/**
 * The file has a checksum in its last bytes. V8 does not check the code, and damaged code can end the process.
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
 * A start works without the file. So a user who may not write it can still run the programs.
 *
 * @param {string} path
 * @param {Buffer} code
 */
async function keepCode(path, code) {
  const checksum = Buffer.alloc(checksumSize)
  checksum.writeUInt32LE(crc32(code))
  await writeNew(path, Buffer.concat([code, checksum])).catch(() => {})
}
