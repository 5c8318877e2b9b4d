/**
 * The rows of a card, found by their labels. Tree glyphs, emoji, bold marks and what else stands around a label differ from
 * layout to layout and from day to day, so nothing depends on them.
 */
import { countOf, numbersOf, shareOf } from './numbers.ts'

export type Rows = Readonly<{
  has(label: string): boolean
  /** What stands behind the label, up to the next label in its line; null without such a row. Of several, the first. */
  valueBehind(...labels: readonly string[]): string | null
}>

/** Behind a label: marks, and perhaps a translation in brackets. Then a colon or the bracket of the value. */
const behindLabel = String.raw`[*_~\x60 ]{0,4}(?:\([^()\n]{0,40}\)[*_~\x60 ]{0,4})?`
const valueLengthMax = 160

const expressions = new Map<string, RegExp>()

/**
 * A blank of the label may be absent or wider. A label that ends with a bracket is one only where a bracket follows, not a
 * colon: some bots write the same word in another sense.
 */
function expressionOf(label: string): RegExp {
  const known = expressions.get(label)
  if (known) return known
  const opening = label.endsWith('[') ? String.raw`\[` : String.raw`[:\u2236[]`
  const words = label
    .replace(/ ?\[$/, '')
    .replace(/[.+?()[\]{}^$|\\/]/g, '\\$&')
    .replaceAll(' ', '[ \\t]{0,3}')
  const source = String.raw`(?<![\p{L}\p{N}])${words}(?![\p{L}\p{N}])${behindLabel}${opening}([^\n]{0,${valueLengthMax}})`
  const expression = new RegExp(source, 'iu')
  expressions.set(label, expression)
  return expression
}

/** A word and its colon. */
const nextLabel = /[\p{L}\p{N}]+[*_~\x60 ]{0,4}[:\u2236]/u

/** `text`: in its plain form. */
export function rowsOf(text: string): Rows {
  const behind = (label: string) => expressionOf(label).exec(text)?.[1]?.split(nextLabel, 1)[0] ?? null
  return {
    has: (label) => expressionOf(label).test(text),
    valueBehind: (...labels) => labels.map(behind).find((value) => value !== null) ?? null,
  }
}

/** Null: the row is absent, or says something else, such as `?`. Absent is not zero. */
export type Reader = (rows: Rows) => number | null

/** What may stand between a label and its number. A minus sign may not. */
const isBegin = (text: string): boolean => /^[^\p{L}\p{N}?|−–-]{0,12}$/u.test(text)

/** The number right behind the label. */
function firstNumber(value: string | null, isPercent: boolean): number | null {
  const [first] = value === null ? [] : numbersOf(value)
  if (value === null || first === undefined || first.isPercent !== isPercent) return null
  return isBegin(value.slice(0, first.start)) ? first.value : null
}

const sharedOrNull = (percent: number | null): number | null => (percent === null ? null : shareOf(percent))

/** As `$44.4K`. */
export const amount =
  (...labels: readonly string[]): Reader =>
  (rows) =>
    firstNumber(rows.valueBehind(...labels), false)

/** As `596` or `1,210`. */
export const count =
  (...labels: readonly string[]): Reader =>
  (rows) => {
    const number = firstNumber(rows.valueBehind(...labels), false)
    return number === null ? null : countOf(number)
  }

/** As `19%`: a share of 0.19. */
export const share =
  (...labels: readonly string[]): Reader =>
  (rows) =>
    sharedOrNull(firstNumber(rows.valueBehind(...labels), true))

/** Percent whose sign stands in the label, or nowhere. */
export const unsignedShare =
  (...labels: readonly string[]): Reader =>
  (rows) => {
    const value = rows.valueBehind(...labels)
    return sharedOrNull(firstNumber(value, false) ?? firstNumber(value, true))
  }

/** The first share of the row, wherever it stands: `0 SOL | 0%`. */
export const shareInRow =
  (...labels: readonly string[]): Reader =>
  (rows) => {
    const value = rows.valueBehind(...labels)
    const found = value === null ? undefined : numbersOf(value).find(({ isPercent }) => isPercent)
    return sharedOrNull(found?.value ?? null)
  }

/** The share in square brackets: `3.9⋅3.6 [27%]`. */
export const bracketedShare =
  (...labels: readonly string[]): Reader =>
  (rows) => {
    const value = rows.valueBehind(...labels)
    if (value === null) return null
    const found = numbersOf(value).find(({ isPercent, start }) => isPercent && /\[\s*$/.test(value.slice(0, start)))
    return sharedOrNull(found?.value ?? null)
  }

/** The number that a word in brackets follows: `11 (Holding) / 15 (Total)`. */
export const countBefore =
  (word: string, ...labels: readonly string[]): Reader =>
  (rows) => {
    const value = rows.valueBehind(...labels)
    if (value === null) return null
    const found = numbersOf(value).find(({ end }) => {
      const behind = value.slice(end).trimStart().toLowerCase()
      return behind.startsWith(`(${word})`)
    })
    return found === undefined ? null : countOf(found.value)
  }

const arrow = /→|⇨|➜|➔|⟶|»|>/

type LaunchAndNow = Readonly<{ atLaunch: number | null; now: number | null }>

/** `7% → 1%`: at launch, and now. A share alone is the one of now; one whose other side says something else stays on its side. */
function launchAndNow(value: string): LaunchAndNow {
  const [first, second] = numbersOf(value).filter(({ isPercent }) => isPercent)
  if (first === undefined) return { atLaunch: null, now: null }
  const behind = value.slice(first.end, second?.start)
  if (second !== undefined && arrow.test(behind)) return { atLaunch: shareOf(first.value), now: shareOf(second.value) }
  if (arrow.test(behind)) return { atLaunch: shareOf(first.value), now: null }
  return { atLaunch: null, now: shareOf(first.value) }
}

const sideOf =
  (side: keyof LaunchAndNow, labels: readonly string[]): Reader =>
  (rows) => {
    const value = rows.valueBehind(...labels)
    return value === null ? null : launchAndNow(value)[side]
  }

export const shareAtLaunch = (...labels: readonly string[]): Reader => sideOf('atLaunch', labels)
export const shareNow = (...labels: readonly string[]): Reader => sideOf('now', labels)
