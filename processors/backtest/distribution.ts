/** Computes statistics of the returns of signals. */
import { type Cluster, meanInterval } from '../../infra/statistics/bootstrap.ts'
import { meanOf, medianOf } from '../../infra/statistics/moments.ts'

/**
 * Statistics of a list of values. Without values, all fields except `n` are null. `meanLow` and `meanHigh`
 * are also null if all values are of one token, because the bootstrap needs several tokens.
 */
export type Distribution = Readonly<{
  n: number
  mean: number | null
  /**
   * The lower end of the 90 % confidence interval of the mean. The interval comes from a bootstrap that draws
   * all signals of a token together.
   */
  meanLow: number | null
  meanHigh: number | null
  median: number | null
  p10: number | null
  p90: number | null
  /** The share of values above 0. */
  winShare: number | null
}>

const interval = { seed: 1, draws: 1000, level: 0.9 } as const
const nothing = {
  mean: null,
  meanLow: null,
  meanHigh: null,
  median: null,
  p10: null,
  p90: null,
  winShare: null,
} as const

/** Computes the statistics of the values. `of` must be in order of time. */
export function distributionOf(of: readonly Readonly<{ token: string; value: number }>[]): Distribution {
  const values = of.map(({ value }) => value)
  const n = values.length
  if (n === 0) return { n, ...nothing }
  const sorted = values.toSorted((left, right) => left - right)
  const [meanLow, meanHigh] = meanInterval(clustersOf(of), interval) ?? [null, null]
  return {
    ...{ n, mean: meanOf(values), meanLow, meanHigh, median: medianOf(values) },
    p10: quantileOf(sorted, 0.1),
    p90: quantileOf(sorted, 0.9),
    winShare: values.filter((value) => value > 0).length / n,
  }
}

function clustersOf(of: readonly Readonly<{ token: string; value: number }>[]): readonly Cluster[] {
  const byToken = new Map<string, { sum: number; n: number }>()
  for (const { token, value } of of) {
    const cluster = byToken.get(token) ?? { sum: 0, n: 0 }
    byToken.set(token, { sum: cluster.sum + value, n: cluster.n + 1 })
  }
  return [...byToken.values()]
}

/** Returns the smallest value that is at least as high as the given share of all values. */
const quantileOf = (sorted: readonly number[], share: number): number =>
  sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? 0
