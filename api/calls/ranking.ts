/** In which order callers are listed. */
import type { CallerRow } from '../../projections/calls/queries/calls-queries.ts'
import type { RankedCaller } from './resources/caller.ts'
import { callerIdOf } from './resources/identifiers.ts'

export const callerSorts = ['win35', 'x2', 'hit15', 'rug', 'n', 'ret15'] as const
export type CallerSort = (typeof callerSorts)[number]

/** Rugs are what a caller should have few of: the lowest come first. */
const sortValueOf = ({ n, shrunk }: CallerRow, sort: CallerSort): number | null => {
  if (sort === 'n') return n
  const value = shrunk[sort]
  return sort === 'rug' && value !== null ? -value : value
}

/** The best first, null last; ties by more calls, then by id. */
export function rankCallers(
  callers: readonly CallerRow[],
  { sort, callerIdSecret }: Readonly<{ sort: CallerSort; callerIdSecret: string }>,
): readonly RankedCaller[] {
  const found = callers.map((caller) => ({
    caller: { ...caller, callerId: callerIdOf(caller.chat, caller.poster, callerIdSecret) },
    value: sortValueOf(caller, sort) ?? Number.NEGATIVE_INFINITY,
  }))
  found.sort((left, right) => {
    // Two without a value: their difference is no number.
    if (left.value !== right.value) return right.value - left.value
    if (left.caller.n !== right.caller.n) return right.caller.n - left.caller.n
    return left.caller.callerId < right.caller.callerId ? -1 : 1
  })
  return found.map(({ caller }, index) => ({ ...caller, rank: index + 1 }))
}
