/**
 * The prices of a watch, one for each sample that is due. Everything that a call shows of them is computed from the whole
 * list, so it does not matter in which order answers come.
 */
import type { Call } from '../../schemas/calls/derived.ts'
import { callRules } from '../../schemas/calls/rules.ts'

const { sampleEveryMs, watchMs, deadAfterMs } = callRules
const hourMs = 3_600_000

export const sampleCount = watchMs / sampleEveryMs
const deadAfterCount = deadAfterMs / sampleEveryMs

/** A sample that was asked for, or whose price nobody could ask for in time. It says nothing of the token. */
export const unknown = -1
/** There was no price. */
export const failed = 0

/** The n-th item is the sample at n + 1 times ten minutes: a price, `unknown` or `failed`. */
export type Samples = readonly number[]

const isPrice = (sample: number | undefined): sample is number => sample !== undefined && sample > 0

/**
 * The number of samples that were due when the token was found dead: the end of the first failures in a row that are enough
 * and that no price has followed. Null: it is alive.
 */
export function deadAt(samples: Samples): number | null {
  let end = samples.length
  while (end > 0 && samples[end - 1] === unknown) end--
  let start = end
  while (start > 0 && samples[start - 1] === failed) start--
  return end - start >= deadAfterCount ? start + deadAfterCount : null
}

const marks = { ret1h: 1, ret4h: 4, ret12h: 12, ret24h: 24, ret48h: 48 } as const satisfies Partial<
  Record<keyof Call, number>
>
type Mark = keyof typeof marks
const countAt = (hours: number): number => (hours * hourMs) / sampleEveryMs

/** The next sample after this many at which a return is due. A dead token has nothing to tell in between. */
export const nextMark = (count: number): number =>
  Object.values(marks)
    .map(countAt)
    .find((at) => at > count) ?? sampleCount

type Shown = Pick<Call, Mark | 'lastRet' | 'maxRet' | 'dipBeforeMax'> &
  Readonly<{ lastCount: number | null; maxCount: number | null }>

/** `lastCount` and `maxCount` say which sample it was, from 1 on. `deadCount`: see `deadAt`. */
export function shownOf(samples: Samples, anchorPx: number, deadCount: number | null): Shown {
  const retOf = (sample: number | undefined): number | null => (isPrice(sample) ? sample / anchorPx - 1 : null)
  const retAt = (mark: Mark): number | null => {
    const count = countAt(marks[mark])
    if (samples.length < count) return null
    return deadCount !== null && count > deadCount ? -1 : retOf(samples[count - 1])
  }
  const lastIndex = samples.findLastIndex(isPrice)
  const max = highOf(samples)
  return {
    ret1h: retAt('ret1h'),
    ret4h: retAt('ret4h'),
    ret12h: retAt('ret12h'),
    ret24h: retAt('ret24h'),
    ret48h: retAt('ret48h'),
    lastRet: deadCount === null ? retOf(samples[lastIndex]) : -1,
    lastCount: lastIndex < 0 ? null : lastIndex + 1,
    maxRet: max && retOf(max.px),
    maxCount: max && max.index + 1,
    dipBeforeMax: max && retOf(max.dipPx),
  }
}

/** The first of the highest prices, and the lowest up to it. Null: there is no price. Every sample of a watch asks. */
function highOf(samples: Samples): Readonly<{ index: number; px: number; dipPx: number }> | null {
  let [highIndex, highPx, dipPx] = [-1, 0, 0]
  let lowPx = Number.POSITIVE_INFINITY
  for (let index = 0; index < samples.length; index++) {
    const px = samples[index]
    if (!isPrice(px)) continue
    if (px < lowPx) lowPx = px
    if (px > highPx) [highIndex, highPx, dipPx] = [index, px, lowPx]
  }
  return highIndex < 0 ? null : { index: highIndex, px: highPx, dipPx }
}
