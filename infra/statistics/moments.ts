/**
 * Statistics of a list of returns. Each function needs at least one value, unless its comment says otherwise.
 */

const sumOf = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0)

export const meanOf = (values: readonly number[]): number => sumOf(values) / values.length

export function medianOf(values: readonly number[]): number {
  const sorted = [...values].sort((left, right) => left - right)
  const middle = sorted.length / 2
  return ((sorted[Math.ceil(middle) - 1] ?? 0) + (sorted[Math.floor(middle)] ?? 0)) / 2
}

/**
 * The mean without the lowest and the highest `share` of the values. The number of values that are removed at each end
 * is rounded down.
 */
export function trimmedMeanOf(values: readonly number[], share: number): number {
  const cut = Math.floor(values.length * share)
  const sorted = [...values].sort((left, right) => left - right)
  return meanOf(sorted.slice(cut, sorted.length - cut))
}

/**
 * The share of all gains that the best trades made. The best trades are the best `share` of all trades, and at least
 * one. Null if no trade gained. Returns have heavy tails, so this number shows whether a history of trades depends on a
 * few lucky trades.
 */
export function topShareOf(values: readonly number[], share: number): number | null {
  const gains = values.filter((value) => value > 0).sort((left, right) => right - left)
  if (gains.length === 0) return null
  return sumOf(gains.slice(0, Math.max(1, Math.floor(values.length * share)))) / sumOf(gains)
}

export type Moments = Readonly<{ n: number; mean: number; deviation: number; skew: number; kurtosis: number }>

/**
 * The moments of the sample itself: central moments are divided by n. A normal distribution has a kurtosis of 3. Null
 * for fewer than two values, or if all values are equal.
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
