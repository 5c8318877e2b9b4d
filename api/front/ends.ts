/** Statistics of the returns of bursts, for the front page. */
import { medianOf } from '../../infra/statistics/moments.ts'

/** The lower bounds of the bins of the histogram, as returns. The first bin has all returns below the second bound. */
export const binBounds = [-1, -0.8, -0.5, -0.2, 0, 0.2, 0.5, 1] as const

type Interval = readonly [low: number, high: number]

export type Ends = Readonly<{
  /** The number of returns. */
  n: number
  /** The number of bursts that have no return yet. */
  unscored: number
  /** The number of returns in each bin. */
  bins: readonly number[]
  /** Null: there are no returns. */
  median: Readonly<{ value: number; interval: Interval }> | null
  /** The share of returns below 0. Null: there are no returns. */
  lost: Readonly<{ share: number; interval: Interval }> | null
  /** The number of bursts whose liquidity was pulled. */
  pulled: number
}>

/** The quantile of the standard normal distribution for a two-sided interval of 90 %. */
const z90 = 1.6449

export function endsOf(bursts: readonly Readonly<{ ret: number | null; isPulled: boolean }>[]): Ends {
  const returns = bursts.flatMap(({ ret }) => ret ?? []).sort((left, right) => left - right)
  const lost = returns.filter((ret) => ret < 0).length
  const n = returns.length
  return {
    ...{ n, unscored: bursts.length - n, pulled: bursts.filter(({ isPulled }) => isPulled).length },
    bins: binBounds.map(
      (from, index) =>
        returns.filter((ret) => (index === 0 || ret >= from) && ret < (binBounds[index + 1] ?? Infinity)).length,
    ),
    median: n === 0 ? null : { value: medianOf(returns), interval: medianInterval(returns) },
    lost: n === 0 ? null : { share: lost / n, interval: shareInterval(lost, n) },
  }
}

/** The interval of the median by order statistics: the ranks that enclose it with 90 %. `sorted`: in rising order. */
function medianInterval(sorted: readonly number[]): Interval {
  const { length: n } = sorted
  const half = (z90 * Math.sqrt(n)) / 2
  const low = Math.max(0, Math.floor(n / 2 - half))
  const high = Math.min(n - 1, Math.ceil(n / 2 + half))
  return [sorted[low] ?? 0, sorted[high] ?? 0]
}

/** The interval of a share by Wilson's score. */
function shareInterval(hits: number, n: number): Interval {
  const share = hits / n
  const scale = 1 + z90 ** 2 / n
  const middle = (share + z90 ** 2 / (2 * n)) / scale
  const half = (z90 * Math.sqrt((share * (1 - share)) / n + z90 ** 2 / (4 * n ** 2))) / scale
  return [Math.max(0, middle - half), Math.min(1, middle + half)]
}
