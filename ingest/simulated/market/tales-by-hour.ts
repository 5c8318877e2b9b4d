/**
 * Finds the simulated tokens that are called in a given hour. A cohort is the group of tokens planned for
 * launch in one hour. Cohorts are cached for about twice the time in which a token is active.
 */
import type { Tale, TalesOfHour } from '../tale.ts'
import { lifeSecMost } from './rates.ts'

const hourSec = 3600
/** The number of earlier cohorts whose tokens may be called in an hour. Tokens are called at most `lifeSecMost` after their launch. */
const cohortsBack = Math.ceil(lifeSecMost / hourSec) + 1
const cohortsKept = 2 * cohortsBack

/**
 * Creates the function that finds the tokens called in an hour. `talesOf` returns the tokens of one cohort.
 * An hour may include tokens of the next cohort, because a token may be launched before the hour of its
 * cohort.
 */
export function talesByHour(talesOf: (cohort: number) => readonly Tale[]): TalesOfHour {
  const cohorts = new Map<number, ReadonlyMap<number, readonly Tale[]>>()
  const byHourOf = (cohort: number): ReadonlyMap<number, readonly Tale[]> => {
    const known = cohorts.get(cohort)
    if (known) return known
    const byHour = groupedByHour(talesOf(cohort))
    cohorts.set(cohort, byHour)
    const [oldest] = cohorts.keys()
    if (cohorts.size > cohortsKept && oldest !== undefined) cohorts.delete(oldest)
    return byHour
  }
  return (hour) => {
    const tales: Tale[] = []
    for (let cohort = hour - cohortsBack; cohort <= hour + 1; cohort++)
      tales.push(...(byHourOf(cohort).get(hour) ?? []))
    return tales
  }
}

function groupedByHour(tales: readonly Tale[]): ReadonlyMap<number, readonly Tale[]> {
  const byHour = new Map<number, Tale[]>()
  for (const tale of tales) {
    const instants = [...tale.bursts.map(({ startSec }) => startSec), ...tale.moments.map(({ atSec }) => atSec)]
    for (const hour of new Set(instants.map((atSec) => Math.floor(atSec / hourSec)))) {
      const ofHour = byHour.get(hour)
      if (ofHour) ofHour.push(tale)
      else byHour.set(hour, [tale])
    }
  }
  return byHour
}
