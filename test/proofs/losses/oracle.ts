/**
 * The ranges of time in which lost trades may have happened. A range goes from the last known trade of the
 * curve before the loss to the next known trade. The ranges come from the facts of the runs with and without
 * losses.
 */
import type { ChainBRecord } from '../../../schemas/chain-b/facts.ts'
import { groupBy } from '../../support/group-by.ts'
import type { FactLog } from '../../support/oracle/chain-b/stories.ts'
import type { Part } from './sold-rows.ts'

type Interval = Readonly<{ fromMs: number; toMs: number }>

export type Losses = Readonly<{
  count: number
  /**
   * The number of lost trades that the service cannot notice, because no later trade and no later reading of
   * the account is known.
   */
  untoldCount: number
  touches(mint: string, part: Part): boolean
  /** True if a trade was lost in the part and no fact shows the loss. */
  isUntoldIn(mint: string, part: Part): boolean
}>

type Keyed = Readonly<{ key: string; record: ChainBRecord }>

export function lossesOf(whole: FactLog, heard: FactLog): Losses {
  const heardIds = new Set(heard.flat().flatMap(({ record }) => tradeIdOf(record) ?? []))
  const told = groupBy(heard.flat().filter(isEnd), ({ key }) => key)
  const intervals = new Map<string, readonly Interval[]>()
  const untold = new Map<string, readonly number[]>()
  for (const [mint, its] of groupBy(whole.flat().filter(isOfCurve), ({ key }) => key)) {
    const isLost = (keyed: Keyed) => keyed.record.type === 'CurveTraded' && !heardIds.has(tradeIdOf(keyed.record) ?? '')
    if (!its.some(isLost)) continue
    const ends = (told.get(mint) ?? []).map(({ record }) => atMsOf(record))
    const found = its.flatMap((keyed, index) => {
      if (!isLost(keyed)) return []
      const atMs = atMsOf(keyed.record)
      const before = its.slice(0, index).findLast((each) => !isLost(each))
      const behind = its.slice(index + 1).find((each) => !isLost(each))
      const toMs = behind ? atMsOf(behind.record) : ends.find((endMs) => endMs >= atMs)
      return [{ atMs, fromMs: before ? atMsOf(before.record) : atMs, toMs }]
    })
    intervals.set(
      mint,
      found.flatMap(({ fromMs, toMs }) => (toMs === undefined ? [] : [{ fromMs, toMs }])),
    )
    untold.set(
      mint,
      found.flatMap(({ atMs, toMs }) => (toMs === undefined ? [atMs] : [])),
    )
  }
  const untoldCount = [...untold.values()].flat().length
  return {
    count: [...intervals.values()].flat().length + untoldCount,
    untoldCount,
    touches: (mint, { afterMs, toMs }) =>
      (intervals.get(mint) ?? []).some((interval) => interval.toMs > afterMs && interval.fromMs <= toMs),
    isUntoldIn: (mint, { afterMs, toMs }) => (untold.get(mint) ?? []).some((atMs) => atMs > afterMs && atMs <= toMs),
  }
}

const isOfCurve = ({ record }: Keyed): boolean => record.type === 'CurveTraded' || record.type === 'CurveLaunched'
/** The facts that show lost trades even if no later trade follows. */
const isEnd = ({ record }: Keyed): boolean => record.type === 'GapRepaired' || record.type === 'CurveMigrated'

const atMsOf = ({ data }: ChainBRecord): number => ('blockAtMs' in data ? data.blockAtMs : 0)

const tradeIdOf = (record: ChainBRecord): string | null =>
  record.type === 'CurveTraded' ? `${record.data.txHash} ${record.data.logIndex}` : null
