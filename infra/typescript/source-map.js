// Reads the map of a bundle. It has millions of places, so only the place at the begin of each line is kept. `SourceMap` of Node keeps them all.
import { readFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'

/**
 * Returns the place in a source, such as `/path/file.ts:4:7`, of a place in the bundle. Lines and columns count from one. Null if the bundle
 * has something there that is in no source.
 *
 * @typedef {(line: number, column: number) => string | null} SourceMap
 */

/**
 * A place in a source and its column in the bundle. All count from zero.
 *
 * @typedef {{ bundleColumn: number, source: number, line: number, column: number }} Place
 */

/**
 * @param {string} path
 * @returns {SourceMap}
 */
export function readSourceMap(path) {
  const { mappings, sources } = JSON.parse(readFileSync(path, 'utf8'))
  /** @type {string[]} */
  const lines = mappings.split(';')
  const place = { bundleColumn: 0, source: 0, line: 0, column: 0 }
  const begins = lines.map((text) => {
    const begin = { ...place }
    moveOver(text, place)
    return begin
  })
  return (line, column) => {
    const [text, begin] = [lines[line - 1], begins[line - 1]]
    /** @type {Place | null} */
    let found = null
    if (text !== undefined)
      moveOver(text, { ...begin }, (passed) => {
        if (passed.bundleColumn < column) found = { ...passed }
      })
    return found && `${resolve(dirname(path), sources[found.source])}:${found.line + 1}:${found.column + 1}`
  }
}

const digits = new Uint8Array(128)
for (const [value, digit] of [...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'].entries())
  digits[digit.charCodeAt(0)] = value
const comma = ','.charCodeAt(0)

/**
 * Moves `place` over all places of a line. Each place is up to five differences to the place before: of the column in the bundle, the source,
 * its line and column, and the name. A difference has five bits per digit, lowest first. The sixth bit says that more digits follow. The
 * lowest bit of a difference is its sign.
 *
 * @param {string} text
 * @param {Place} place
 * @param {(place: Place) => void} onPlace
 */
function moveOver(text, place, onPlace = () => {}) {
  place.bundleColumn = 0
  let [field, value, shift] = [0, 0, 0]
  for (let at = 0; at < text.length; at++) {
    const char = text.charCodeAt(at)
    if (char === comma) {
      onPlace(place)
      field = 0
      continue
    }
    const digit = digits[char] ?? 0
    value += (digit & 31) << shift
    shift += 5
    if (digit > 31) continue
    moveBy(value & 1 ? -(value >> 1) : value >> 1, field++, place)
    value = 0
    shift = 0
  }
  if (field > 1) onPlace(place)
}

/**
 * @param {number} difference
 * @param {number} field
 * @param {Place} place
 */
function moveBy(difference, field, place) {
  if (field === 0) place.bundleColumn += difference
  else if (field === 1) place.source += difference
  else if (field === 2) place.line += difference
  else if (field === 3) place.column += difference
}
