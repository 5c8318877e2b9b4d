/**
 * Finds the simulated tokens that chats call in a given hour. A cohort is the group of tokens planned for
 * launch in one hour. The cache keeps cohorts for about twice the time in which a token is active.
 */
import type { HistoriesOfHour, TokenHistory } from '../token-history.ts'
import { lifeSecMost } from './rates.ts'

const hourSec = 3600
/**
 * The number of earlier cohorts (launch hours) whose tokens may be called in an hour. Tokens are called at
 * most `lifeSecMost` after their launch.
 */
const cohortsBack = Math.ceil(lifeSecMost / hourSec) + 1
const cohortsKept = 2 * cohortsBack

/**
 * Creates the function that finds the tokens called in an hour. `historiesOf` returns the tokens of one cohort
 * (launch hour). The tokens of the next cohort are also searched, because a token may be launched before the
 * hour of its cohort.
 */
export function historiesByHour(historiesOf: (cohort: number) => readonly TokenHistory[]): HistoriesOfHour {
  const cohorts = new Map<number, ReadonlyMap<number, readonly TokenHistory[]>>()
  const byHourOf = (cohort: number): ReadonlyMap<number, readonly TokenHistory[]> => {
    const known = cohorts.get(cohort)
    if (known) return known
    const byHour = groupedByHour(historiesOf(cohort))
    cohorts.set(cohort, byHour)
    const [oldest] = cohorts.keys()
    if (cohorts.size > cohortsKept && oldest !== undefined) cohorts.delete(oldest)
    return byHour
  }
  return (hour) => {
    const histories: TokenHistory[] = []
    for (let cohort = hour - cohortsBack; cohort <= hour + 1; cohort++)
      histories.push(...(byHourOf(cohort).get(hour) ?? []))
    return histories
  }
}

function groupedByHour(histories: readonly TokenHistory[]): ReadonlyMap<number, readonly TokenHistory[]> {
  const byHour = new Map<number, TokenHistory[]>()
  for (const history of histories) {
    const instants = [...history.bursts.map(({ startSec }) => startSec), ...history.callTimes.map(({ atSec }) => atSec)]
    for (const hour of new Set(instants.map((atSec) => Math.floor(atSec / hourSec)))) {
      const ofHour = byHour.get(hour)
      if (ofHour) ofHour.push(history)
      else byHour.set(hour, [history])
    }
  }
  return byHour
}
