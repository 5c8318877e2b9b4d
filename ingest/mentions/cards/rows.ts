/**
 * The rows of a card, found by their labels. Nothing depends on tree glyphs, emoji or bold marks around a label,
 * because they change from layout to layout and from day to day.
 */
export type Rows = Readonly<{
  has(label: string): boolean
  /**
   * The text after the label, up to the next label in its line. Null if there is no such row. If there are several, the
   * first.
   */
  valueBehind(...labels: readonly string[]): string | null
  /** The first match of the expression, for rows without a label. */
  find(expression: RegExp): RegExpExecArray | null
}>

const mark = String.raw`[*_~\x60]`
/** A translation in brackets. */
const translation = String.raw`\([^()\n]{0,40}\)`
/** The part between a label and its value: marks, and perhaps a translation. A colon or a bracket follows it. */
const behindLabel = String.raw`[*_~\x60 ]{0,4}(?:${translation}[*_~\x60 ]{0,4})?`
const restOfLine = String.raw`([^\n]{0,160})`
/** A row without a colon has wide blanks before the value, or a single blank if a tree branch begins the row. */
const wideBlank = String.raw`${mark}{0,4}(?: {0,2}${translation})?${mark}{0,4}[ \t]{2,20}(?=${mark}{0,4}[^\p{L}\s(:\u2236[])`
const narrowBlank = String.raw`${mark}{0,4}[ \t](?=${mark}{0,4}[$\p{N}\p{Extended_Pictographic}])(?!${mark}{0,4}[\p{L}\p{N}]{1,8} ?[:\u2236])`
const branch = String.raw`[├└┗┣╰╠┠─⎬‣│][^\p{L}\p{N}\n]{0,12}`

/** Whether every row of a bot has a colon or a bracket, or some have only blanks. */
export type RowForm = 'colon' | 'colon or blanks'

type Expressions = Readonly<{ colon: RegExp; blanks: RegExp }>
const expressions = new Map<string, Expressions>()

/**
 * Blanks in the label may be absent or wider in the text. A label that ends with a bracket matches only before a
 * bracket, not before a colon, because some bots use the same word in another sense.
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

/** A word with its colon. */
const nextLabel = /[\p{L}\p{N}]+[*_~\x60 ]{0,4}[:\u2236]/u

/** `text`: in its plain form. */
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
