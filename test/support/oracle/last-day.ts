/**
 * Computes the statistics of the bursts of one day. They include how often the liquidity was pulled, for two
 * liquidity classes.
 */
import type { OracleBurstRow } from './oracle.ts'

const share = (part: number, whole: number): number | null => (whole === 0 ? null : part / whole)

export function dayOf(bursts: readonly OracleBurstRow[]) {
  const outcomes = bursts.flatMap(({ outcome }) => outcome ?? [])
  const checked = bursts.filter(({ lp }) => lp !== null)
  const of = (name: 'held' | 'safe') => {
    const rows = checked.filter(({ lp }) => lp?.class === name)
    const scored = rows.flatMap(({ outcome }) => outcome ?? [])
    return { count: rows.length, scored: scored.length, pulled: scored.filter(({ rug }) => rug !== null).length }
  }
  const [held, safe] = [of('held'), of('safe')]
  return {
    bursts: bursts.length,
    scored: outcomes.length,
    medianRet30m: median(outcomes.map(({ ret30m }) => ret30m)),
    medianRuleRet: median(outcomes.map(({ ruleRet }) => ruleRet)),
    rugCheck: {
      checked: checked.length,
      held: held.count,
      heldPct: share(held.count, checked.length),
      heldScored: held.scored,
      heldPulled: held.pulled,
      heldPulledPct: share(held.pulled, held.scored),
      safe: safe.count,
      safeScored: safe.scored,
      safePulled: safe.pulled,
    },
  }
}

/** Returns the middle value. With an even number of values, it is the mean of the two middle values. */
function median(values: readonly number[]): number | null {
  const sorted = [...values].sort((one, other) => one - other)
  const middle = (sorted.length - 1) / 2
  const [low, high] = [sorted[Math.floor(middle)], sorted[Math.ceil(middle)]]
  return low === undefined || high === undefined ? null : (low + high) / 2
}
