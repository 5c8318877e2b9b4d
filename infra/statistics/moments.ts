/** Statistics of a list of returns. All functions take at least one value unless they say otherwise. */

const sumOf = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0)

export const meanOf = (values: readonly number[]): number => sumOf(values) / values.length

export function medianOf(values: readonly number[]): number {
  const sorted = [...values].sort((left, right) => left - right)
  const middle = sorted.length / 2
  return ((sorted[Math.ceil(middle) - 1] ?? 0) + (sorted[Math.floor(middle)] ?? 0)) / 2
}

/** The mean without `share` of the values at each end, rounded down to whole values. */
export function trimmedMeanOf(values: readonly number[], share: number): number {
  const cut = Math.floor(values.length * share)
  const sorted = [...values].sort((left, right) => left - right)
  return meanOf(sorted.slice(cut, sorted.length - cut))
}

/**
 * The share of all gains made by the best `share` of the trades, at least one trade. Null if none gained. Because
 * returns have heavy tails, it shows whether a record rests on a few lucky trades.
 */
export function topShareOf(values: readonly number[], share: number): number | null {
  const gains = values.filter((value) => value > 0).sort((left, right) => right - left)
  if (gains.length === 0) return null
  return sumOf(gains.slice(0, Math.max(1, Math.floor(values.length * share)))) / sumOf(gains)
}

export type Moments = Readonly<{ n: number; mean: number; deviation: number; skew: number; kurtosis: number }>

/**
 * The moments of the sample itself, so central moments are divided by n. A normal distribution has a kurtosis of 3.
 * Null if there is no spread.
 */
export function momentsOf(values: readonly number[]): Moments | null {
  const n = values.length
  if (n < 2) return null
  const mean = meanOf(values)
  const central = (power: number) => meanOf(values.map((value) => (value - mean) ** power))
  const variance = central(2)
  if (!(variance > 0)) return null
  return {
    n,
    mean,
    deviation: Math.sqrt(variance),
    skew: central(3) / variance ** 1.5,
    kurtosis: central(4) / variance ** 2,
  }
}
