import { dayMs } from '../../../schemas/units.ts'
import type { StageCut } from '../../cuts.ts'
import type { RecentBursts } from './bursts.ts'
import type { DayRow } from './chain-b-queries.ts'
import { since } from './since.ts'

/**
 * Counts the bursts of the last 24 h in three ways: all bursts, the bursts with an outcome, and the bursts
 * whose curve was completed.
 */
export async function selectLastDay(recentBursts: RecentBursts, cut: StageCut): Promise<DayRow> {
  const found = await recentBursts(cut, since(cut, dayMs))
  const outcomes = found.flatMap(({ outcome }) => outcome ?? [])
  const graduated = outcomes.filter(({ completedAtMs }) => completedAtMs !== null).length
  return { bursts: found.length, scored: outcomes.length, graduated }
}
