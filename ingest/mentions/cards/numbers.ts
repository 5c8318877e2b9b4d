/** Reads numbers as cards write them: with thousands separators, the suffixes K, M, B and T, and percent signs. */

export type CardNumber = Readonly<{
  value: number
  isPercent: boolean
  /** The offsets of the number in the text. */
  start: number
  end: number
}>

const digits = String.raw`(?:\d{1,3}(?:,\d{3}){1,5}|\d{1,15})(?:\.\d{1,20})?`
/**
 * Matches a number. Does not match parts of words or parts of longer numbers. Does not match a number with a
 * decimal comma, because it looks like a number with a thousands separator.
 */
const expression = new RegExp(
  String.raw`(?<![\p{L}\p{N}.,])(${digits})\s?([KMBT](?![\p{L}\p{N}]))?(?![\p{L}\p{N}]|[.,]\d)(\s?%)?`,
  'giu',
)

const scales: Readonly<Record<string, number>> = { K: 1e3, M: 1e6, B: 1e9, T: 1e12 }

export function numbersOf(text: string): readonly CardNumber[] {
  const numbers: CardNumber[] = []
  for (const match of text.matchAll(expression)) {
    const [whole, number = '', scale = '', percent] = match
    const value = Number(number.replaceAll(',', '')) * (scales[scale.toUpperCase()] ?? 1)
    numbers.push({ value, isPercent: percent !== undefined, start: match.index, end: match.index + whole.length })
  }
  return numbers
}

const intMax = 2 ** 31 - 1

/** Converts a percentage to a share from 0 to 1. The share is rounded, so that 17.5 % on a card is exactly 0.175. */
export const shareOf = (percent: number): number => Number((percent / 100).toPrecision(12))

/** Returns the value if it can be a count, and null otherwise. */
export const countOf = (value: number): number | null => (Number.isInteger(value) && value <= intMax ? value : null)
