// Reads the source map of a bundle. The map has millions of places, which are pairs of a position in the
// bundle and a position in a source. Only the place at the start of each line is kept. Node's `SourceMap`
// keeps all places.
import { readFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'

/**
 * Converts a place in the bundle to a place in a source, such as `/path/file.ts:4:7`. Lines and columns count from 1.
 * Returns null if the code at this place comes from no source.
 *
 * @typedef {(line: number, column: number) => string | null} SourceMap
 */

/**
 * A place in a source and its column in the bundle. All numbers count from 0.
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
 * Moves `place` over all places of a line. The text holds each place as up to five differences from the
 * previous place. These are the differences of the bundle column, the source, the line, the column and the
 * name. A difference is written in digits of five bits, lowest digit first. A sixth bit says that more digits
 * follow. The lowest bit of a difference is its sign.
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
