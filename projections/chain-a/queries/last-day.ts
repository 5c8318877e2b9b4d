import { dayMs } from '../../../schemas/units.ts'
import type { StageCut } from '../../cuts.ts'
import { medianOrNull } from '../../median.ts'
import type { BurstReading } from './bursts.ts'
import type { DayRow } from './chain-a-queries.ts'
import { since } from './pools.ts'

/**
 * Computes statistics of the bursts of the last 24 h: their returns, and the number of rugs in each liquidity
 * class.
 */
export async function selectLastDay(
  { recentBursts }: Pick<BurstReading, 'recentBursts'>,
  cut: StageCut,
): Promise<DayRow> {
  const found = await recentBursts(cut, since(cut, dayMs))
  const scored = found.filter(({ outcome }) => outcome !== undefined)
  const ofClass = (name: 'held' | 'safe') => {
    const classed = scored.filter(({ lp }) => lp?.class === name)
    return {
      all: found.filter(({ lp }) => lp?.class === name).length,
      scored: classed.length,
      pulled: classed.filter(({ outcome }) => outcome?.rugAtSec !== null).length,
    }
  }
  const [held, safe] = [ofClass('held'), ofClass('safe')]
  return {
    bursts: found.length,
    scored: scored.length,
    medianRet30m: medianOrNull(scored.flatMap(({ outcome }) => outcome?.ret30m ?? [])),
    medianRuleRet: medianOrNull(scored.flatMap(({ outcome }) => outcome?.ruleRet ?? [])),
    checked: found.filter(({ lp }) => lp !== undefined).length,
    held: held.all,
    heldScored: held.scored,
    heldPulled: held.pulled,
    safe: safe.all,
    safeScored: safe.scored,
    safePulled: safe.pulled,
  }
}
