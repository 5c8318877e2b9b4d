/** Draws the traders, times and amounts of simulated trades, on any chain. */
import type { Random } from '../random.ts'

const publicFrom = 10_000
const publicCount = 20_000

/**
 * Draws the number of a wallet that trades in many tokens. A small part of these wallets makes most of the
 * trades.
 */
export const somebody = (random: Random): number => publicFrom + Math.floor(publicCount * random.unit() ** 3)

/** Returns amounts in the ratio of the weights. Their sum is `sum`. */
export function scaled(sum: number, weights: readonly number[]): readonly number[] {
  const all = total(weights)
  return weights.map((weight) => (weight / all) * sum)
}

export const total = (numbers: readonly number[]): number => numbers.reduce((sum, each) => sum + each, 0)

/**
 * Yields random times between `fromSec` and `toSec`, in order. `rateAt` returns the mean number of times per
 * second at a given time.
 */
export function* instantsAt(
  rateAt: (second: number) => number,
  { fromSec, toSec }: Readonly<{ fromSec: number; toSec: number }>,
  random: Random,
): Generator<number> {
  for (let at = fromSec; ; ) {
    at += random.exponential(1 / rateAt(at))
    if (at >= toSec) return
    yield at
  }
}

const syllables = ['BO', 'DO', 'GE', 'KI', 'LU', 'MO', 'NA', 'PE', 'RA', 'WIF'] as const

export const drawSymbol = (random: Random): string =>
  Array.from({ length: random.whole(1, 3) }, () => random.pick(syllables)).join('')
