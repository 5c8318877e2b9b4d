/** The orders in which the leaderboard can list callers. */

import { callerIdOf } from '../../infra/public-ids.ts'
import type { CallerRow } from '../../projections/calls/queries/calls-queries.ts'
import type { RankedCaller } from './resources/caller.ts'

export const callerSorts = ['win35', 'x2', 'hit15', 'rug', 'n', 'ret15'] as const
export type CallerSort = (typeof callerSorts)[number]

/** The value by which callers are sorted, the highest first. The share of rugs is negated, so that the lowest share comes first. */
const sortValueOf = ({ n, shrunk }: CallerRow, sort: CallerSort): number | null => {
  if (sort === 'n') return n
  const value = shrunk[sort]
  return sort === 'rug' && value !== null ? -value : value
}

/**
 * Ranks the callers: the best first, callers without a value last. Callers with equal values are ordered by number of calls, the most
 * first, and then by id.
 */
export function rankCallers(
  callers: readonly CallerRow[],
  { sort, callerIdSecret }: Readonly<{ sort: CallerSort; callerIdSecret: string }>,
): readonly RankedCaller[] {
  const found = callers.map((caller) => ({
    caller: { ...caller, callerId: callerIdOf(caller.chat, caller.poster, callerIdSecret) },
    value: sortValueOf(caller, sort) ?? Number.NEGATIVE_INFINITY,
  }))
  found.sort((left, right) => {
    // Compares before subtracting: two callers without a value both have -Infinity, and -Infinity - -Infinity is NaN.
    if (left.value !== right.value) return right.value - left.value
    if (left.caller.n !== right.caller.n) return right.caller.n - left.caller.n
    return left.caller.callerId < right.caller.callerId ? -1 : 1
  })
  return found.map(({ caller }, index) => ({ ...caller, rank: index + 1 }))
}
