/** How far back each route can be asked with `asOf`, and what is refused outside of that. */

import type { Cut, Cuts } from '../../projections/cuts.ts'
import type { Stage } from '../../schemas/stage.ts'
import { dayMs } from '../../schemas/units.ts'
import { type AnsweredRoute, stagesFor } from '../route.ts'
import type { Params, ParamValues } from './params.ts'
import { type Refusal, refuse } from './refusals.ts'

type Asked = Readonly<{ route: AnsweredRoute; values: ParamValues<Params> }>

/** What is kept of the stages that an answer is made from: from the first instant to the newest cut. */
export type Kept = Readonly<{ oldestAtMs: number; newestAtMs: number }>

/** Both ends included. Empty where the answer looks further back than anything is kept. */
type Range = Readonly<{ fromMs: number; toMs: number }>

/**
 * What an answer looks back for is counted from the newest block at its cut, which is older than the cut: so much, where a
 * stage was that far behind.
 */
const behindMs = dayMs

/** A first start reads up to a day of the past, and the tables drop rows by whole days: a day of slack for each. */
const firstDaysMs = 2 * behindMs

/** The smaller of the window of the route, and of what is kept less how far the answer looks back. `Infinity`: all of it. */
export function reachMsOf({ route, values }: Asked, newestAtMs: number): number {
  const { windowMs, lookBackMs } = route.history
  const lookBack = typeof lookBackMs === 'number' ? lookBackMs : lookBackMs(values, newestAtMs)
  const keptMs = keptMsOf(stagesFor(route, values))
  return Math.min(windowMs ?? Number.POSITIVE_INFINITY, Math.max(0, keptMs - lookBack - behindMs))
}

/** The rows of a stage are kept as long as its records. */
const keptMsOf = (stages: readonly Stage[]): number =>
  Math.min(...stages.map(({ derivedTopic }) => derivedTopic.retentionMs ?? Number.POSITIVE_INFINITY))

/** Nothing has left the tables while the log is younger than its retention: a route can then be asked from the first instant on. */
export function askableRange(asked: Asked, { oldestAtMs, newestAtMs }: Kept): Range {
  const isWhole = newestAtMs - oldestAtMs < keptMsOf(stagesFor(asked.route, asked.values)) - firstDaysMs
  const windowMs = asked.route.history.windowMs ?? Number.POSITIVE_INFINITY
  const reachMs = isWhole ? windowMs : reachMsOf(asked, newestAtMs)
  return { fromMs: Math.max(oldestAtMs, newestAtMs - reachMs), toMs: newestAtMs }
}

/** Null: it can be asked as of the instant. Costs no query. */
export function judgeAsOf(asked: Asked & Readonly<{ asOfMs: number }>, kept: Kept): Refusal | null {
  const { fromMs, toMs } = askableRange(asked, kept)
  if (asked.asOfMs >= fromMs && asked.asOfMs <= toMs) return null
  return refuse(
    'bad_param',
    `asOf must be an instant from ${fromMs} to ${toMs}, epoch milliseconds: from as far back as this can be asked to the newest that is known`,
  )
}

/** The cut of an instant that can be asked, once the answer is paid for; or why there is none. */
export async function cutAsOf({ route, values }: Asked, asOfMs: number, cuts: Cuts): Promise<Cut | Refusal> {
  const cut = await cuts.at(asOfMs, stagesFor(route, values))
  if (cut === null)
    return refuse('warming_up', 'what was known then is being read from the log again; nothing was charged', retrySec)
  for (const need of route.needs)
    if (!(await need.isMet(cut)))
      return refuse(
        'bad_param',
        `asOf names an instant at which this was not answered yet (no ${need.name} was known); ask for a later one`,
      )
  return cut
}

const retrySec = 5
