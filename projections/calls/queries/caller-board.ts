/** Computes the ranked list of callers from the sums of each caller. The functions are pure. */

import type { EpochMs } from '../../../schemas/units.ts'
import {
  type CallerBoard,
  type CallerRow,
  type CallerValues,
  type ExcludedCalls,
  type MedianName,
  medianNames,
  type RateName,
  rateNames,
} from './calls-queries.ts'
import {
  intervalOf,
  kOfMeans,
  kOfRates,
  type Moments,
  pooledOf,
  rateOf,
  shrunk,
  type Tally,
  towardOf,
} from './shrink.ts'

type Medians = Readonly<Record<MedianName, number | null>>

/** The sums over the counted calls of one caller. */
export type CallerSums = Pick<
  CallerRow,
  'chat' | 'poster' | 'chatName' | 'n' | 'weight' | 'gapCalls' | 'lastCallAtMs'
> &
  Readonly<{
    hits: Readonly<Record<RateName, number>>
    medians: Medians
    moments: Readonly<Record<MedianName, Moments>>
  }>

export type CallersSums = ExcludedCalls &
  Pick<CallerBoard, 'askedCount'> &
  Readonly<{
    callers: readonly CallerSums[]
    /** The medians of all calls together. */
    medians: Medians
    /**
     * The key is the index of a caller in `callers`. The value is the medians over the calls of all other
     * callers. Only callers with a large share of all calls have an entry.
     */
    mediansWithout: ReadonlyMap<number, Medians>
  }>

export const each = <Name extends string, Value>(
  names: readonly Name[],
  of: (name: Name) => Value,
): Record<Name, Value> => Object.fromEntries(names.map((name) => [name, of(name)])) as Record<Name, Value>

export function callerBoardOf(rebuiltAtMs: EpochMs, sums: CallersSums): CallerBoard {
  const { callers, medians, mediansWithout, ...counts } = sums
  const talliesOf = (rate: RateName) => callers.map(({ hits, weight }) => ({ hits: hits[rate], weight }))
  const pooled = each(rateNames, (rate) => pooledOf(talliesOf(rate)))
  const k = {
    ...each(rateNames, (rate) => kOfRates(talliesOf(rate))),
    ...each(medianNames, (median) => kOfMeans(callers.map(({ moments }) => moments[median]))),
  }
  return {
    ...counts,
    ...{ rebuiltAtMs, k, calls: callers.reduce((sum, { n }) => sum + n, 0) },
    gapCalls: callers.reduce((sum, { gapCalls }) => sum + gapCalls, 0),
    pooled: { ...each(rateNames, (rate) => rateOf(pooled[rate])), ...medians },
    callers: callers.map((caller, index) =>
      callerRowOf(caller, { k, pooled, medians: mediansWithout.get(index) ?? medians }),
    ),
  }
}

/** The values of all callers together. The values of a single caller are shrunk (moved) toward them. */
type Pool = Readonly<{ k: CallerBoard['k']; pooled: Readonly<Record<RateName, Tally>>; medians: Medians }>

function callerRowOf(caller: CallerSums, { k, pooled, medians }: Pool): CallerRow {
  const { hits, medians: own, moments: _, ...row } = caller
  const { weight } = row
  const tallyOf = (rate: RateName): Tally => ({ hits: hits[rate], weight })
  const raw: CallerValues = { ...each(rateNames, (rate) => rateOf(tallyOf(rate))), ...own }
  const shrunkRate = (rate: RateName) => {
    const toward = towardOf(tallyOf(rate), pooled[rate])
    return raw[rate] === null ? null : shrunk(raw[rate], weight, { k: k[rate], toward })
  }
  const shrunkMedian = (median: MedianName) => {
    const [value, toward] = [own[median], medians[median]]
    return value === null || toward === null ? value : shrunk(value, weight, { k: k[median], toward })
  }
  return {
    raw,
    shrunk: { ...each(rateNames, shrunkRate), ...each(medianNames, shrunkMedian) },
    intervalOf(rate) {
      const tally = tallyOf(rate)
      const toward = towardOf(tally, pooled[rate])
      return intervalOf(tally, { k: k[rate], toward, pooledWeight: pooled[rate].weight })
    },
    ...row,
  }
}
