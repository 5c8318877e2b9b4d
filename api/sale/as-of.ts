/**
 * Checks `asOf` against the time range that each route can answer. An instant outside of this range is
 * refused.
 */

import type { Cut, Cuts } from '../../projections/cuts.ts'
import type { Stage } from '../../schemas/stage.ts'
import { type DurationMs, dayMs, type EpochMs } from '../../schemas/units.ts'
import { type AnsweredRoute, stagesFor } from '../route.ts'
import type { Params, ParamValues } from './params.ts'
import { type Refusal, refuse } from './refusals.ts'

type DataRequest = Readonly<{ route: AnsweredRoute; values: ParamValues<Params> }>

/** The range of instants for which the stages of an answer have data. */
export type Kept = Readonly<{ oldestAtMs: EpochMs; newestAtMs: EpochMs }>

/**
 * The instants that `asOf` may have, both ends included. If the answer needs older data than is kept, the
 * range is empty: `fromMs` is above `toMs`.
 */
type Range = Readonly<{ fromMs: EpochMs; toMs: EpochMs }>

/**
 * The maximum time, in ms, from the newest block in an answer to the time for which the answer is computed.
 * Because of this difference, `asOf` may go back one day less than the data is kept.
 */
const behindMs = dayMs

/**
 * The tables still have all data since the first start if the data is shorter than its retention by more than
 * this time. Two days, for two reasons. At its first start, the service reads up to one day of the past. The
 * tables drop rows by whole days.
 */
const firstDaysMs = 2 * behindMs

/**
 * Returns how far back `asOf` may be, in ms. This is the smaller of two durations. One duration is the window
 * of the route. The other is the retention of the data less `lookBackMs` and `behindMs`. `Infinity` means no
 * limit.
 */
export function reachMsOf({ route, values }: DataRequest, newestAtMs: EpochMs): DurationMs {
  const { windowMs, lookBackMs } = route.history
  const lookBack = typeof lookBackMs === 'number' ? lookBackMs : lookBackMs(values, newestAtMs)
  const keptMs = keptMsOf(stagesFor(route, values))
  return Math.min(windowMs ?? Number.POSITIVE_INFINITY, Math.max(0, keptMs - lookBack - behindMs))
}

/**
 * Returns how long the rows of the stages stay in the tables. Rows are kept as long as the records of their
 * stage are kept in the log.
 */
const keptMsOf = (stages: readonly Stage[]): DurationMs =>
  Math.min(...stages.map(({ derivedTopic }) => derivedTopic.retentionMs ?? Number.POSITIVE_INFINITY))

/**
 * Returns the range of `asOf`. While the log is younger than its retention, the tables have dropped nothing. The range
 * then begins at the first instant of the data, or at the start of the route's window if that is later.
 */
export function askableRange(request: DataRequest, { oldestAtMs, newestAtMs }: Kept): Range {
  const isWhole = newestAtMs - oldestAtMs < keptMsOf(stagesFor(request.route, request.values)) - firstDaysMs
  const windowMs = request.route.history.windowMs ?? Number.POSITIVE_INFINITY
  const reachMs = isWhole ? windowMs : reachMsOf(request, newestAtMs)
  return { fromMs: Math.max(oldestAtMs, newestAtMs - reachMs), toMs: newestAtMs }
}

/** Returns null if the route can answer for the time `asOfMs`, and otherwise the refusal. Costs no query. */
export function judgeAsOf(request: DataRequest & Readonly<{ asOfMs: EpochMs }>, kept: Kept): Refusal | null {
  const { fromMs, toMs } = askableRange(request, kept)
  if (request.asOfMs >= fromMs && request.asOfMs <= toMs) return null
  return refuse(
    'bad_param',
    `asOf must be from ${fromMs} to ${toMs}, in epoch milliseconds. This route has no answer for earlier instants, and later data is not known yet`,
  )
}

/**
 * Looks up the cut (the state of the data) at an instant, after the payment was verified. Returns a refusal
 * if there is no cut, or if a need of the route is not met at this instant.
 */
export async function cutAsOf({ route, values }: DataRequest, asOfMs: EpochMs, cuts: Cuts): Promise<Cut | Refusal> {
  const cut = await cuts.at(asOfMs, stagesFor(route, values))
  if (cut === null)
    return refuse(
      'warming_up',
      'the service is still reading the data of that instant from the log. Nothing was charged. Try again in some seconds',
      retrySec,
    )
  for (const need of route.needs)
    if (!(await need.isMet(cut)))
      return refuse(
        'bad_param',
        `this route had no answer yet at the instant of asOf, because no ${need.name} was known. Send a later asOf`,
      )
  return cut
}

const retrySec = 5
