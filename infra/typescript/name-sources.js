// Makes stack traces name the TypeScript files. `node --enable-source-maps` would do the same, but it reads
// the maps of all bundles at each start and needs 150 MB for one map. This file reads the map of a bundle
// when the first stack trace needs it.
import { readSourceMap } from './source-map.js'

/**
 * The maps of the bundles in this thread, by path. Null until a stack trace needs the map.
 *
 * @type {Map<string, import('./source-map.js').SourceMap | null>}
 */
const maps = new Map()

/**
 * Makes the stack traces of this bundle name its source files.
 *
 * @param {string} path
 */
export function nameSources(path) {
  maps.set(path, null)
  Error.prepareStackTrace = (error, sites) => {
    const nameOf = isOfStream(sites) ? String : textOf
    return [headOf(error), ...sites.map((site) => `    at ${nameOf(site)}`)].join('\n')
  }
}

/**
 * Returns whether a web stream of Node made the error. At the first stream whose reader is released, Node makes two
 * errors and removes our lines from their stack traces. Nobody sees them, and reading the map would take 0.1 s of the
 * start.
 *
 * @param {readonly NodeJS.CallSite[]} sites
 */
const isOfStream = ([first]) => first?.getFileName()?.startsWith('node:internal/webstreams/') ?? false

/** @param {Error} error */
function headOf(error) {
  try {
    return Error.prototype.toString.call(error)
  } catch {
    return '<error>'
  }
}

/** @param {NodeJS.CallSite} site */
function textOf(site) {
  const [text, path] = [String(site), site.getFileName()]
  const [line, column] = [site.getLineNumber(), site.getColumnNumber()]
  if (!path || !maps.has(path) || line === null || column === null) return text
  return text.replace(`${path}:${line}:${column}`, (place) => sourceOf(path, line, column) ?? place)
}

/**
 * @param {string} path
 * @param {number} line
 * @param {number} column
 */
function sourceOf(path, line, column) {
  try {
    const map = maps.get(path) ?? readSourceMap(`${path}.map`)
    maps.set(path, map)
    return map(line, column)
  } catch {
    // Another process may have removed the bundle and its map.
    return null
  }
}
