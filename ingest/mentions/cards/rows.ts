/**
 * Finds the rows of a card by their labels. Tree glyphs, emoji and bold marks around a label are ignored, because bots change them often.
 */
export type Rows = Readonly<{
  has(label: string): boolean
  /**
   * Returns the text between the label and the next label in the same line. Null if no line has any of the
   * labels. If several lines do, the first line is used.
   */
  valueBehind(...labels: readonly string[]): string | null
  /** Returns the first match of the expression, for rows without a label. */
  find(expression: RegExp): RegExpExecArray | null
}>

const mark = String.raw`[*_~\x60]`
/** Matches a text in brackets, such as the translation of a label. */
const translation = String.raw`\([^()\n]{0,40}\)`
/** Matches what may be between a label and its colon: bold marks, and perhaps a translation in brackets. */
const behindLabel = String.raw`[*_~\x60 ]{0,4}(?:${translation}[*_~\x60 ]{0,4})?`
const restOfLine = String.raw`([^\n]{0,160})`
/**
 * Matches the blanks between a label and its value in a row without a colon. At least two blanks are needed.
 * If a tree glyph such as `├` begins the row, one blank is enough.
 */
const wideBlank = String.raw`${mark}{0,4}(?: {0,2}${translation})?${mark}{0,4}[ \t]{2,20}(?=${mark}{0,4}[^\p{L}\s(:\u2236[])`
const narrowBlank = String.raw`${mark}{0,4}[ \t](?=${mark}{0,4}[$\p{N}\p{Extended_Pictographic}])(?!${mark}{0,4}[\p{L}\p{N}]{1,8} ?[:\u2236])`
// These characters are in a string, so that the bundler escapes them (see `readers.ts`).
const treeGlyphs = '├└┗┣╰╠┠─⎬‣│'
const branch = String.raw`[${treeGlyphs}][^\p{L}\p{N}\n]{0,12}`

/**
 * The form of a bot's rows. `colon`: a colon or a bracket is after each label. `colon or blanks`: after some
 * labels there are only blanks.
 */
export type RowForm = 'colon' | 'colon or blanks'

type Expressions = Readonly<{ colon: RegExp; blanks: RegExp }>
const expressions = new Map<string, Expressions>()

/**
 * Makes the expressions that match the row of a label. Blanks within the label may be missing or wider in the
 * text. A label that ends with a bracket matches only before a bracket, because some bots use the same word
 * with a colon for another value.
 */
function expressionsOf(label: string): Expressions {
  const known = expressions.get(label)
  if (known) return known
  const isBracketed = label.endsWith('[')
  const opening = isBracketed ? String.raw`\[` : String.raw`[:\u2236[]`
  const words = label
    .replace(/ ?\[$/, '')
    .replace(/[.+?()[\]{}^$|\\/]/g, '\\$&')
    .replaceAll(' ', '[ \\t]{0,3}')
  const whole = String.raw`(?<![\p{L}\p{N}])${words}(?![\p{L}\p{N}])`
  const blanks = isBracketed ? '(?!)' : `${whole}(?:${wideBlank}|(?<=${branch}${words})${narrowBlank})${restOfLine}`
  const found = {
    colon: new RegExp(`${whole}${behindLabel}${opening}${restOfLine}`, 'iu'),
    blanks: new RegExp(blanks, 'iu'),
  }
  expressions.set(label, found)
  return found
}

/** Matches a word with its colon. */
const nextLabel = /[\p{L}\p{N}]+[*_~\x60 ]{0,4}[:\u2236]/u

/** Finds the rows of a card. The text must be in plain form (`plainTextOf`). */
export function rowsOf(text: string, form: RowForm = 'colon'): Rows {
  const forms = form === 'colon' ? (['colon'] as const) : (['colon', 'blanks'] as const)
  const behind = (label: string, its: keyof Expressions) =>
    expressionsOf(label)[its].exec(text)?.[1]?.split(nextLabel, 1)[0] ?? null
  return {
    has: (label) => forms.some((its) => expressionsOf(label)[its].test(text)),
    valueBehind: (...labels) =>
      forms.flatMap((its) => labels.map((label) => behind(label, its))).find((found) => found !== null) ?? null,
    find: (expression) => expression.exec(text),
  }
}
