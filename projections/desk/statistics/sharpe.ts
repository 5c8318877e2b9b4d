/**
 * Computes how certain a Sharpe ratio is, with the methods of Bailey and López de Prado (2012, 2014). All
 * ratios are per trade.
 */
import { type Moments, momentsOf } from '../../../infra/statistics/moments.ts'
import { normalCdf, normalQuantile } from './normal.ts'

const eulerGamma = 0.577_215_664_901_532_9

export const sharpeOf = ({ mean, deviation }: Pick<Moments, 'mean' | 'deviation'>): number => mean / deviation

/**
 * Returns the probability that the true Sharpe ratio is above `benchmark`. The moments describe the returns
 * of the trades.
 */
export function probabilisticSharpe(moments: Moments, benchmark: number): number {
  const ratio = sharpeOf(moments)
  const { n, skew, kurtosis } = moments
  const spread = Math.sqrt(Math.max(1e-12, 1 - skew * ratio + ((kurtosis - 1) / 4) * ratio ** 2))
  return normalCdf(((ratio - benchmark) * Math.sqrt(n - 1)) / spread)
}

/**
 * Returns the expected best Sharpe ratio among `trials` strategies without skill. `deviation` is the standard
 * deviation of the ratios of these strategies.
 */
export function luckySharpe(trials: number, deviation: number): number {
  if (trials < 2) return 0
  const best = (share: number) => normalQuantile(1 - share)
  return deviation * ((1 - eulerGamma) * best(1 / trials) + eulerGamma * best(1 / (trials * Math.E)))
}

/**
 * Returns the probability that the true Sharpe ratio is above the best ratio that luck alone would give among
 * `trials`. Returns null if the deviation of the ratios of the trials is unknown.
 */
export function deflatedSharpe(
  moments: Moments,
  trials: Readonly<{ count: number; ratios: readonly number[] }>,
): number | null {
  const spread = momentsOf(trials.ratios)
  if (spread === null) return null
  // `momentsOf` divides by n. The ratios are only a sample of all trials, so the divisor must be n - 1.
  const deviation = spread.deviation * Math.sqrt(spread.n / (spread.n - 1))
  return probabilisticSharpe(moments, luckySharpe(trials.count, deviation))
}
