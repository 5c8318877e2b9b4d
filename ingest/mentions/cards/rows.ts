/**
 * Finds the rows of a card by their labels. Tree glyphs, emoji and bold marks around a label are ignored, because bots change them often.
 */
export type Rows = Readonly<{
  has(label: string): boolean
  /**
   * Returns the text after the label, up to the next label in its line. Null if no line has any of the labels. If several lines do, the
   * first line counts.
   */
  valueBehind(...labels: readonly string[]): string | null
  /** Returns the first match of the expression, for rows without a label. */
  find(expression: RegExp): RegExpExecArray | null
}>

const mark = String.raw`[*_~\x60]`
/** Matches a translation in brackets. */
const translation = String.raw`\([^()\n]{0,40}\)`
/** Matches the part between a label and its colon or bracket: marks, and perhaps a translation. */
const behindLabel = String.raw`[*_~\x60 ]{0,4}(?:${translation}[*_~\x60 ]{0,4})?`
const restOfLine = String.raw`([^\n]{0,160})`
/** A row without a colon has wide blanks before the value. A single blank is enough if a tree branch begins the row. */
const wideBlank = String.raw`${mark}{0,4}(?: {0,2}${translation})?${mark}{0,4}[ \t]{2,20}(?=${mark}{0,4}[^\p{L}\s(:\u2236[])`
const narrowBlank = String.raw`${mark}{0,4}[ \t](?=${mark}{0,4}[$\p{N}\p{Extended_Pictographic}])(?!${mark}{0,4}[\p{L}\p{N}]{1,8} ?[:\u2236])`
const branch = String.raw`[├└┗┣╰╠┠─⎬‣│][^\p{L}\p{N}\n]{0,12}`

/** The form of a bot's rows. `colon`: all rows have a colon or a bracket. `colon or blanks`: some rows have only blanks. */
export type RowForm = 'colon' | 'colon or blanks'

type Expressions = Readonly<{ colon: RegExp; blanks: RegExp }>
const expressions = new Map<string, Expressions>()

/**
 * Makes the expressions that match the row of a label. In the text, blanks of the label may be missing or wider. A label that ends with a
 * bracket matches only before a bracket, because some bots use the same word with a colon for something else.
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

/** Finds the rows of a text, which must be in its plain form (`plainTextOf`). */
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
