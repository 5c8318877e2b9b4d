/**
 * What a caller’s record is worth. Few calls say little, so every value is moved toward that of all callers, the further the
 * fewer calls stand behind it: as if the caller had made `k` calls more that went as those of all. Pure.
 */
import { callersRules } from '../../../schemas/calls/callers.ts'
import { betaQuantile } from './beta.ts'

/** The tally of one caller: `hits` of `weight` calls. A post that names many tokens weighs less than 1, so neither is whole. */
export type Tally = Readonly<{ hits: number; weight: number }>

export const pooledOf = (tallies: readonly Tally[]): Tally => ({
  hits: tallies.reduce((sum, { hits }) => sum + hits, 0),
  weight: tallies.reduce((sum, { weight }) => sum + weight, 0),
})

/** Null: nothing was counted. */
export const rateOf = ({ hits, weight }: Tally): number | null => (weight === 0 ? null : hits / weight)

const clampK = (k: number): number => Math.min(callersRules.kMax, Math.max(callersRules.kMin, k))

/** So often the weights of callers and what follows from them are found in turn. */
const rounds = 8

/**
 * How many calls the pooled rate is worth: how much the callers’ rates differ beyond what chance makes of equal ones, by the
 * moments of the beta-binomial distribution. Without a difference it is the most.
 */
export function kOfRates(tallies: readonly Tally[]): number {
  // The share of the variance of one call that lies between callers: 1 / (k + 1).
  let between = 0
  for (let round = 0; round < rounds; round++) between = betweenOf(tallies, between)
  return between > 0 ? clampK(1 / between - 1) : callersRules.kMax
}

/**
 * The next estimate of the share of the variance that lies between callers. `before`, the estimate so far from 0 to 1, sets how much
 * each rate counts in the mean: at 0 as much as the caller has calls; at 1 all callers count the same.
 */
function betweenOf(tallies: readonly Tally[], before: number): number {
  const rated = tallies.map(({ hits, weight }) => ({
    ...{ rate: hits / weight, weight },
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

/** The values of one caller: how many, their sum and the sum of their squares. */
export type Moments = Readonly<{ n: number; sum: number; squares: number }>

/** The same for means: the variance within callers / the variance of their means beyond what that makes. */
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

/** `value` of `weight` calls, moved toward `toward` as `k` more of that would. */
export const shrunk = (value: number, weight: number, { k, toward }: Readonly<{ k: number; toward: number }>): number =>
  (weight * value + k * toward) / (weight + k)

/** Whether a caller’s own calls weigh so much in the pool that its value is compared with that of the others alone. */
export const isLarge = (weight: number, total: number): boolean => weight > callersRules.ownShareMax * total

/** What the caller’s rate is shrunk toward: the pooled rate; without the own calls, where these are many. */
export function towardOf(own: Tally, pooled: Tally): number {
  const others = { hits: pooled.hits - own.hits, weight: pooled.weight - own.weight }
  const isWithout = isLarge(own.weight, pooled.weight) && others.weight > 0
  return rateOf(isWithout ? others : pooled) ?? 0
}

/**
 * Between which bounds the true rate lies with 90 %: of the Beta distribution that the prior and the calls make. A pooled rate of
 * 0 or 1 would make it a point: half a call more on either side keeps it open.
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
