/** Makes functions that read a value from a card. There is one for each form in which cards write values. */
import { countOf, numbersOf, shareOf } from './numbers.ts'
import type { Rows } from './rows.ts'

/**
 * Reads one value from the rows of a card. Null if the row is absent or contains something else, such as `?`.
 * An absent row does not mean zero.
 */
export type Reader = (rows: Rows) => number | null

// Characters beyond Latin-1 are in strings, which the bundler escapes. In patterns and raw texts it would leave them as
// they are. V8 would then keep the whole bundle with two bytes per character, in each thread.
const minusSigns = '−–-'
const arrows = '→⇨➜➔⟶»>'
const bullets = '⋅・•'
const dashes = '–-'

const beginOfNumber = new RegExp(String.raw`^[^\p{L}\p{N}?|${minusSigns}]{0,12}$`, 'u')
/** Whether this text may be between a label and its number. Letters, digits, bars and minus signs may not. */
const isBegin = (text: string): boolean => beginOfNumber.test(text)

/**
 * Returns the first number after the label. Null if it is not directly after the label, or if `isPercent` is
 * different.
 */
function firstNumber(value: string | null, isPercent: boolean): number | null {
  const [first] = value === null ? [] : numbersOf(value)
  if (value === null || first === undefined || first.isPercent !== isPercent) return null
  return isBegin(value.slice(0, first.start)) ? first.value : null
}

const sharedOrNull = (percent: number | null): number | null => (percent === null ? null : shareOf(percent))

/** Reads an amount such as `$44.4K`. */
export const amount =
  (...labels: readonly string[]): Reader =>
  (rows) =>
    firstNumber(rows.valueBehind(...labels), false)

/** Reads a count such as `596` or `1,210`. */
export const count =
  (...labels: readonly string[]): Reader =>
  (rows) => {
    const number = firstNumber(rows.valueBehind(...labels), false)
    return number === null ? null : countOf(number)
  }

/** Reads `19%` as a share of 0.19. */
export const share =
  (...labels: readonly string[]): Reader =>
  (rows) =>
    sharedOrNull(firstNumber(rows.valueBehind(...labels), true))

/** Reads a percentage. The percent sign may be missing, because it may be in the label. */
export const unsignedShare =
  (...labels: readonly string[]): Reader =>
  (rows) => {
    const value = rows.valueBehind(...labels)
    return sharedOrNull(firstNumber(value, false) ?? firstNumber(value, true))
  }

/** Reads the first percentage anywhere in the row, such as in `0 SOL | 0%`. */
export const shareInRow =
  (...labels: readonly string[]): Reader =>
  (rows) => {
    const value = rows.valueBehind(...labels)
    const found = value === null ? undefined : numbersOf(value).find(({ isPercent }) => isPercent)
    return sharedOrNull(found?.value ?? null)
  }

/** Reads the percentage in square brackets, such as in `3.9⋅3.6 [27%]`. */
export const bracketedShare =
  (...labels: readonly string[]): Reader =>
  (rows) => {
    const value = rows.valueBehind(...labels)
    if (value === null) return null
    const found = numbersOf(value).find(({ isPercent, start }) => isPercent && /\[\s*$/.test(value.slice(0, start)))
    return sharedOrNull(found?.value ?? null)
  }

/**
 * Reads the number that is followed by this word in brackets, such as 11 for `Holding` in `11 (Holding) / 15
 * (Total)`.
 */
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

const arrow = new RegExp(`[${arrows}]`)

type LaunchAndNow = Readonly<{ atLaunch: number | null; now: number | null }>

/**
 * Reads the share at launch and the share now, such as in `7% → 1%`. A single share with an arrow after it is
 * the share at launch. A single share without an arrow is the share now.
 */
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

/** Reads the percentage before a word, such as in `8.5% 1D | 13% 7D` or `21% (2.3% left)`. */
export const shareBefore =
  (word: string, ...labels: readonly string[]): Reader =>
  (rows) => {
    const value = rows.valueBehind(...labels)
    if (value === null) return null
    const expression = new RegExp(String.raw`^[*_~\x60 ]{0,6}${word}(?![\p{L}\p{N}])`, 'iu')
    const found = numbersOf(value).find(({ isPercent, end }) => isPercent && expression.test(value.slice(end)))
    return sharedOrNull(found?.value ?? null)
  }

/** Reads the number after a bar, such as in `23% | 71`. Null if another word or number follows the number. */
export const countBehindBar =
  (...labels: readonly string[]): Reader =>
  (rows) => {
    const value = rows.valueBehind(...labels)
    const bar = value?.indexOf('|') ?? -1
    if (value === null || bar < 0) return null
    const behind = value.slice(bar + 1)
    const [number] = numbersOf(behind)
    const isAlone = number !== undefined && !number.isPercent && !/[\p{L}\p{N}]/u.test(behind.slice(number.end))
    return isAlone && isBegin(behind.slice(0, number.start)) ? countOf(number.value) : null
  }

const percent = String.raw`(\d{1,3}(?:\.\d{1,4})?)\s?%`
const gap = String.raw`[*_~\x60 ]{0,6}`
const rowLengthMax = 160
const signAndShare = new RegExp(String.raw`\p{Extended_Pictographic}${gap}${percent}`, 'gu')
/**
 * The minimum number of emoji with percentages in one row. A single emoji with a percentage may be anywhere
 * in a text, so it is not read.
 */
const signsMin = 2

/** Reads the percentage after an emoji, in a row such as `📦 6% 🎯 6% 🧑💻 0%`. */
export const shareBehindSign = (sign: string): Reader => {
  const expression = new RegExp(`${sign}${gap}${percent}([^\\n]{0,${rowLengthMax}})`, 'u')
  return (rows) => {
    const found = rows.find(expression)
    const [whole = '', share] = found ?? []
    if (share === undefined) return null
    const begin = found?.input.slice(Math.max(0, found.index - rowLengthMax), found.index) ?? ''
    const row = begin.slice(begin.lastIndexOf('\n') + 1) + whole
    return (row.match(signAndShare) ?? []).length >= signsMin ? shareOf(Number(share)) : null
  }
}

/** Matches `3 bundles, 9%`. */
const bundles = new RegExp(
  String.raw`(?<![\p{L}\p{N}.,])(\d{1,5})${gap}bundles?(?![\p{L}\p{N}])${gap}[,;${bullets}|${dashes}]?${gap}${percent}`,
  'iu',
)
const ofBundles = (rows: Rows, group: 1 | 2): number | null => {
  const found = rows.find(bundles)?.[group]
  return found === undefined ? null : Number(found)
}

export const countOfBundles: Reader = (rows) => ofBundles(rows, 1)
export const shareOfBundles: Reader = (rows) => sharedOrNull(ofBundles(rows, 2))

/** Reads the value of the first reader that finds one. */
export const firstOf =
  (...readers: readonly Reader[]): Reader =>
  (rows) => {
    for (const read of readers) {
      const value = read(rows)
      if (value !== null) return value
    }
    return null
  }
