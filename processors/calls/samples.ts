/**
 * The prices of a watch, one for each sample that is due. Everything that a call shows of them is computed from the whole
 * list, so it does not matter in which order answers come.
 */

import type { Call } from '../../schemas/calls/derived.ts'
import type { CallRules } from '../../schemas/calls/rules.ts'
import { hourMs } from '../../schemas/units.ts'

/** The market had been pulled. */
export const worthless = -2
/** A sample that was asked for, or that nobody answered. It says nothing of the token. */
export const unknown = -1
/** Whoever was asked says that there is no price. */
export const failed = 0

/** The n-th item is the sample at n + 1 times `sampleEveryMs`: a price, `worthless`, `unknown` or `failed`. */
export type Samples = readonly number[]

const isPrice = (sample: number | undefined): sample is number => sample !== undefined && sample > 0

/** Samples from `from` on are failed reads; from `deadFrom` on the token is dead; the price of `to` ended it, which was reached dead. */
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

/** So many failed reads and no price since. What says nothing of the token is passed over, as is what comes after a pull. */
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
const countAt = (hours: number, sampleEveryMs: number): number => (hours * hourMs) / sampleEveryMs

/** How a watch is sampled, counted in samples. `markCounts`: those at which a return is due, rising. */
export type Sampling = Readonly<{
  sampleEveryMs: number
  sampleCount: number
  deadAfterCount: number
  deadEveryCount: number
  markCounts: readonly number[]
}>

/** Rules with what is reckoned from them once. */
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

/** Whether a return is due with this many samples. */
export const isMark = (count: number, { markCounts }: Sampling): boolean => markCounts.includes(count)

/** The next sample after this many at which a return is due. A pulled market has nothing to tell in between. */
export const nextMark = (count: number, { markCounts, sampleCount }: Sampling): number =>
  markCounts.find((at) => at > count) ?? sampleCount

/** Whether the sample is due, where those before it say that the token is dead. */
export const isDueOf = (samples: Samples, count: number, sampling: Sampling): boolean =>
  count % sampling.deadEveryCount === 0 || !isDead(samples.slice(0, count - 1), sampling)

/** The next sample after this many of a dead token. */
export const nextOfDead = (count: number, { sampleCount, deadEveryCount }: Sampling): number =>
  Math.min(sampleCount, (Math.floor(count / deadEveryCount) + 1) * deadEveryCount)

type Shown = Pick<Call, Mark | 'lastRet' | 'maxRet' | 'dipBeforeMax' | 'isDead'> &
  Readonly<{ lastCount: number | null; maxCount: number | null }>

/** `lastCount` and `maxCount` say which sample it was, from 1 on. */
export function shownOf(samples: Samples, anchorPx: number, { sampleEveryMs, deadAfterCount }: Sampling): Shown {
  const deaths = deathsOf(samples, deadAfterCount)
  const retOf = (sample: number | undefined): number | null => {
    if (sample === worthless) return -1
    return isPrice(sample) ? sample / anchorPx - 1 : null
  }
  const retAt = (mark: Mark): number | null => {
    const index = countAt(marks[mark], sampleEveryMs) - 1
    // The sample that ends it is of an instant that was reached while the token was dead.
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

/** The first of the highest samples, and the lowest up to it. Null: there is none. Every sample of a watch asks. */
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
