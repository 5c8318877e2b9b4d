/**
 * Converts the text of a post to the text that people see. Removes invisible characters and replaces
 * look-alike characters, because such characters can split an address.
 */

/**
 * The maximum length of a text, in UTF-16 units. The rest of a longer text is ignored. Chat platforms allow
 * 4,096 units.
 */
const lengthMax = 16_384

/** Matches zero-width marks, direction marks, word joiners, byte order marks and soft hyphens. */
const invisible = /[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff]/u
/** Matches the character that selects the look of an emoji. */
const selector = /\p{Variation_Selector}/u

const isAscii = (code: number): boolean => code < 0x80

export type PlainText = Readonly<{
  text: string
  /** Whether the UTF-16 unit at this index of `text` is in one of the ranges `marks` of `plainTextOf`. */
  isMarked(at: number): boolean
}>

type Range = Readonly<{ offset: number; length: number }>

/**
 * Converts each character to its compatibility form (NFKC) and keeps the case. `marks` are ranges of the
 * original text, in UTF-16 units. The result tells which of its units come from these ranges.
 */
export function plainTextOf(original: string, marks: readonly Range[] = []): PlainText {
  const read = original.slice(0, lengthMax)
  const depths = depthChanges(read.length, marks)
  const pieces: string[] = []
  const marked: boolean[] = []
  let depth = 0
  let at = 0
  for (const character of read) {
    for (let unit = 0; unit < character.length; unit++) depth += depths[at + unit] ?? 0
    at += character.length
    const plain = plainOf(character)
    pieces.push(plain)
    for (let unit = 0; unit < plain.length; unit++) marked.push(depth > 0)
  }
  return { text: pieces.join(''), isMarked: (place) => marked[place] ?? false }
}

function plainOf(character: string): string {
  if (isAscii(character.charCodeAt(0))) return character
  return invisible.test(character) || selector.test(character) ? '' : character.normalize('NFKC')
}

/**
 * For each UTF-16 unit of a text, returns the number of marked ranges that begin there, minus the number of
 * ranges that end there.
 */
function depthChanges(length: number, marks: readonly Range[]): Int32Array {
  const changes = new Int32Array(length + 1)
  for (const { offset, length: count } of marks) {
    const from = Math.max(0, offset)
    const to = Math.min(length, offset + count)
    if (!(from < to)) continue
    changes[from] = (changes[from] ?? 0) + 1
    changes[to] = (changes[to] ?? 0) - 1
  }
  return changes
}
