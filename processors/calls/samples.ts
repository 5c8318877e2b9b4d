/**
 * The prices of a called token, sampled at equal intervals after the call. Returns and extremes are computed
 * from all samples together, so that looked-up prices may arrive in any order.
 */

import type { Call } from '../../schemas/calls/derived.ts'
import type { CallRules } from '../../schemas/calls/rules.ts'
import { type DurationMs, hourMs } from '../../schemas/units.ts'

/** The value of a sample after the liquidity of the market was removed. */
export const worthless = -2
/** A sample for which no looked-up price has arrived. It does not show whether the token has a price. */
export const unknown = -1
/** A sample for which the source reported that the token has no price. */
export const failed = 0

/**
 * The samples of a call. Item i, counted from 0, is for the time (i + 1) * `sampleEveryMs` after the call. An
 * item is a price, `worthless`, `unknown` or `failed`.
 */
export type Samples = readonly number[]

const isPrice = (sample: number | undefined): sample is number => sample !== undefined && sample > 0

/**
 * A period in which the token is dead (too many samples without a price), as indices of samples. The failed
 * samples begin at `from`. The token is dead from `deadFrom` up to and including `to`. `to` is the index of
 * the price that ends the period, or the length of the list.
 */
type Death = Readonly<{ from: number; deadFrom: number; to: number }>

function deathsOf(samples: Samples, deadAfterCount: number): readonly Death[] {
  const deaths: Death[] = []
  let [count, from, deadFrom] = [0, 0, -1]
  const end = (to: number) => {
    if (deadFrom >= 0) deaths.push({ from, deadFrom, to })
    ;[count, deadFrom] = [0, -1]
  }
  for (let index = 0; index < samples.length; index++) {
    const sample = samples[index]
    if (sample === failed) {
      if (count === 0) from = index
      if (++count === deadAfterCount) deadFrom = index
    } else if (isPrice(sample)) end(index)
  }
  end(samples.length)
  return deaths
}

/**
 * Returns whether the token is dead: the newest `deadAfterCount` samples are `failed`. Samples that are `unknown` or `worthless` are
 * skipped.
 */
export function isDead(samples: Samples, { deadAfterCount }: Sampling): boolean {
  let count = 0
  for (let index = samples.length - 1; index >= 0 && count < deadAfterCount; index--) {
    const sample = samples[index]
    if (sample === failed) count++
    else if (isPrice(sample)) return false
  }
  return count >= deadAfterCount
}

const marks = { ret1h: 1, ret4h: 4, ret12h: 12, ret24h: 24, ret48h: 48 } as const satisfies Partial<
  Record<keyof Call, number>
>
type Mark = keyof typeof marks
const countAt = (hours: number, sampleEveryMs: DurationMs): number => (hours * hourMs) / sampleEveryMs

/**
 * The schedule of the samples, counted in samples. `markCounts` are the numbers of the samples at which a
 * return of the call is due, ascending.
 */
export type Sampling = Readonly<{
  sampleEveryMs: DurationMs
  sampleCount: number
  deadAfterCount: number
  deadEveryCount: number
  markCounts: readonly number[]
}>

/** The rules of calls, with the schedule of the samples that follows from them. */
export type WatchRules = CallRules & Readonly<{ sampling: Sampling }>

export const watchRulesOf = (rules: CallRules): WatchRules => ({ ...rules, sampling: samplingOf(rules) })

function samplingOf({ watchMs, sampleEveryMs, deadAfterMs, deadSampleEveryMs }: CallRules): Sampling {
  const sampleCount = watchMs / sampleEveryMs
  return {
    sampleEveryMs,
    sampleCount,
    deadAfterCount: deadAfterMs / sampleEveryMs,
    deadEveryCount: deadSampleEveryMs / sampleEveryMs,
    markCounts: Object.values(marks)
      .map((hours) => countAt(hours, sampleEveryMs))
      .filter((count) => count <= sampleCount),
  }
}

/**
 * Returns whether a return of the call, such as `ret1h`, is due at this sample. `count` is its number, from
 * 1.
 */
export const isMark = (count: number, { markCounts }: Sampling): boolean => markCounts.includes(count)

/**
 * Returns the number of the next sample at which a return of the call is due. After the liquidity was
 * removed, only these samples are needed.
 */
export const nextMark = (count: number, { markCounts, sampleCount }: Sampling): number =>
  markCounts.find((at) => at > count) ?? sampleCount

/**
 * Returns whether the price is sampled at this number. While the token is dead, only every
 * `deadEveryCount`-th price is sampled.
 */
export const isDueOf = (samples: Samples, count: number, sampling: Sampling): boolean =>
  count % sampling.deadEveryCount === 0 || !isDead(samples.slice(0, count - 1), sampling)

/** Returns the number of the next sample at which the price of a dead token is read. */
export const nextOfDead = (count: number, { sampleCount, deadEveryCount }: Sampling): number =>
  Math.min(sampleCount, (Math.floor(count / deadEveryCount) + 1) * deadEveryCount)

type Shown = Pick<Call, Mark | 'lastRet' | 'maxRet' | 'dipBeforeMax' | 'isDead'> &
  Readonly<{ lastCount: number | null; maxCount: number | null }>

/**
 * Computes the fields of the record `Call` that depend on prices. `anchorPx` is the price at the call.
 * `lastCount` and `maxCount` are numbers of samples, counted from 1.
 */
export function shownOf(samples: Samples, anchorPx: number, { sampleEveryMs, deadAfterCount }: Sampling): Shown {
  const deaths = deathsOf(samples, deadAfterCount)
  const retOf = (sample: number | undefined): number | null => {
    if (sample === worthless) return -1
    return isPrice(sample) ? sample / anchorPx - 1 : null
  }
  const retAt = (mark: Mark): number | null => {
    const index = countAt(marks[mark], sampleEveryMs) - 1
    // A token counts as dead up to and including the sample with the price that ends the dead period.
    const diedBy = ({ from, deadFrom, to }: Death) =>
      index >= from && index <= to && (index >= deadFrom || samples[index] === failed)
    return index < samples.length && deaths.some(diedBy) ? -1 : retOf(samples[index])
  }
  const lastIndex = samples.findLastIndex(isPrice)
  const max = highOf(samples)
  const isNowDead = deaths.at(-1)?.to === samples.length
  return {
    ret1h: retAt('ret1h'),
    ret4h: retAt('ret4h'),
    ret12h: retAt('ret12h'),
    ret24h: retAt('ret24h'),
    ret48h: retAt('ret48h'),
    isDead: isNowDead,
    lastRet: isNowDead ? -1 : retOf(samples[lastIndex]),
    lastCount: lastIndex < 0 ? null : lastIndex + 1,
    maxRet: max && retOf(max.sample),
    maxCount: max && max.index + 1,
    dipBeforeMax: max && retOf(max.dip),
  }
}

/**
 * Returns the highest price, and the lowest price (`dip`) up to that time. Among equally high prices, the
 * first is used. Returns null if there is no price. One loop computes both values, because this function runs
 * often.
 */
function highOf(samples: Samples): Readonly<{ index: number; sample: number; dip: number }> | null {
  let [highIndex, high, dip] = [-1, Number.NEGATIVE_INFINITY, 0]
  let low = Number.POSITIVE_INFINITY
  for (let index = 0; index < samples.length; index++) {
    const sample = samples[index]
    if (!isPrice(sample)) continue
    if (sample < low) low = sample
    if (sample > high) [highIndex, high, dip] = [index, sample, low]
  }
  return highIndex < 0 ? null : { index: highIndex, sample: high, dip }
}
