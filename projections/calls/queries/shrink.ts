/**
 * Shrinks the results of callers. A result from few calls is uncertain, so it is moved toward the result of
 * all callers. The outcome is as if the caller had made `k` more calls with the mean result of all callers.
 * The functions are pure.
 */
import { callersRules } from '../../../schemas/calls/callers.ts'
import { betaQuantile } from './beta.ts'

/**
 * The successes of one caller: `hits` of `weight` calls. Both can be fractions, because a post that names
 * many tokens weighs less than 1.
 */
export type Tally = Readonly<{ hits: number; weight: number }>

export const pooledOf = (tallies: readonly Tally[]): Tally => ({
  hits: tallies.reduce((sum, { hits }) => sum + hits, 0),
  weight: tallies.reduce((sum, { weight }) => sum + weight, 0),
})

/** Returns the share of hits among the calls. Returns null if there are no calls. */
export const rateOf = ({ hits, weight }: Tally): number | null => (weight === 0 ? null : hits / weight)

const clampK = (k: number): number => Math.min(callersRules.kMax, Math.max(callersRules.kMin, k))

/**
 * The number of iterations. Each iteration computes the weights of the callers from the last estimate, and a new estimate from the weights.
 */
const rounds = 8

/**
 * Returns the weight `k` of the pooled rate, as a number of calls. `k` is smaller if the rates of callers differ more than by chance. If
 * they differ only by chance, `k` is `kMax`. The estimate uses the moments of the beta-binomial distribution.
 */
export function kOfRates(tallies: readonly Tally[]): number {
  // The share of the variance of call results that lies between callers, which is 1 / (k + 1).
  let between = 0
  for (let round = 0; round < rounds; round++) between = betweenOf(tallies, between)
  return between > 0 ? clampK(1 / between - 1) : callersRules.kMax
}

/**
 * Returns the next estimate of the share of the variance of call results that lies between callers. `before`
 * is the last estimate, from 0 to 1. At 0, callers count in proportion to their calls. At 1, all callers
 * count the same.
 */
function betweenOf(tallies: readonly Tally[], before: number): number {
  const rated = tallies.map(({ hits, weight }) => ({
    rate: hits / weight,
    weight,
    counts: weight / (1 + before * Math.max(0, weight - 1)),
  }))
  const total = sumOf(rated, ({ counts }) => counts)
  const mean = sumOf(rated, ({ counts, rate }) => counts * rate) / total
  const chance = mean * (1 - mean)
  if (!(chance > 0)) return 0
  const found = sumOf(rated, ({ counts, rate }) => counts * (rate - mean) ** 2) / chance
  const byChance = sumOf(rated, ({ counts, weight }) => (counts * (1 - counts / total)) / weight)
  const most = sumOf(rated, ({ counts, weight }) => counts * (1 - counts / total) * (1 - 1 / weight))
  return most > 1e-9 ? Math.min(1, Math.max(0, (found - byChance) / most)) : 0
}

/** The number of values (call returns) of one caller, their sum, and the sum of their squares. */
export type Moments = Readonly<{ n: number; sum: number; squares: number }>

/**
 * Returns the weight `k` of the pooled mean, as a number of calls. `k` is the variance within callers divided
 * by the variance between callers. The variance within callers explains a part of the variance of the
 * callers' means. The rest is the variance between callers.
 */
export function kOfMeans(callers: readonly Moments[]): number {
  const total = sumOf(callers, ({ n }) => n)
  const freedom = total - callers.length
  const spread = total - sumOf(callers, ({ n }) => n ** 2) / total
  if (freedom <= 0 || !(spread > 0)) return callersRules.kMax
  const mean = sumOf(callers, ({ sum }) => sum) / total
  const within = sumOf(callers, ({ n, sum, squares }) => squares - sum ** 2 / n) / freedom
  const between = sumOf(callers, ({ n, sum }) => n * (sum / n - mean) ** 2)
  const variance = (between - (callers.length - 1) * within) / spread
  return variance > 0 ? clampK(within / variance) : callersRules.kMax
}

/**
 * Returns the mean of `weight + k` calls. `weight` calls have the mean `value`, and `k` calls have the mean
 * `toward`.
 */
export const shrunk = (value: number, weight: number, { k, toward }: Readonly<{ k: number; toward: number }>): number =>
  (weight * value + k * toward) / (weight + k)

/** Returns whether the caller’s share of all calls is large. Such a caller is shrunk toward the value of the other callers only. */
export const isLarge = (weight: number, total: number): boolean => weight > callersRules.ownShareMax * total

/**
 * Returns the rate toward which the caller’s rate is shrunk. This is the pooled rate, without the caller’s own calls if their share is
 * large.
 */
export function towardOf(own: Tally, pooled: Tally): number {
  const others = { hits: pooled.hits - own.hits, weight: pooled.weight - own.weight }
  const isWithout = isLarge(own.weight, pooled.weight) && others.weight > 0
  return rateOf(isWithout ? others : pooled) ?? 0
}

/**
 * Returns the interval that contains the true rate with a probability of 90 %. The bounds are quantiles of
 * the Beta distribution from the prior and the calls. A prior of 0 or 1 would make the distribution a single
 * point. So the prior stays half a call away from 0 and 1.
 */
export function intervalOf(
  { hits, weight }: Tally,
  { k, toward, pooledWeight }: Readonly<{ k: number; toward: number; pooledWeight: number }>,
): readonly [number, number] {
  const half = 0.5 / (pooledWeight + 1)
  const prior = Math.min(1 - half, Math.max(half, toward))
  const [alpha, beta] = [hits + k * prior, weight - hits + k * (1 - prior)]
  const tail = (1 - callersRules.intervalShare) / 2
  return [betaQuantile(tail, alpha, beta), betaQuantile(1 - tail, alpha, beta)]
}

const sumOf = <Item>(items: readonly Item[], of: (item: Item) => number): number =>
  items.reduce((sum, item) => sum + of(item), 0)
