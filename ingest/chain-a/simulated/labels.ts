/**
 * Lists what the simulator has planned for its tokens. Tests compare the results of the service with these
 * plans. The simulated chain data never contains the plans.
 */

import type { Address, EpochMs, PoolId } from '../../../schemas/units.ts'
import type { LiquidityChange } from '../../simulated/market/liquidity-plan.ts'
import {
  type BurstPlan,
  type BurstTier,
  cohortAt,
  type LaunchPlan,
  lastSecondOf,
  type Market,
  plansOf,
} from './plan.ts'

export type Label = Readonly<{
  token: Address
  pool: PoolId
  launchKind: LaunchPlan['kind']
  createdAtMs: EpochMs
  atMs: EpochMs
}> &
  Readonly<
    | { kind: 'burst'; tier: BurstTier; style: BurstPlan['style']; endsAtMs: EpochMs }
    | Readonly<{ kind: 'liquidity-change'; does: LiquidityChange['does'] }>
    | Readonly<{ kind: 'second' }>
    | { kind: 'dump' }
  >

/**
 * Returns the planned events whose time is in `[fromMs, toMs)`, in time order. Tokens that were launched
 * before `fromMs` are included.
 */
export function labelsOf(market: Market, fromMs: EpochMs, toMs: EpochMs): readonly Label[] {
  let cohort = cohortAt(fromMs / 1000)
  while (lastSecondOf(cohort - 1) * 1000 > fromMs) cohort--
  const labels: Label[] = []
  // A cohort is the launches of one hour. The loop includes one cohort more, because a promoted launch may be
  // created up to an hour before its cohort begins.
  for (; cohort <= cohortAt(toMs / 1000) + 1; cohort++) {
    for (const plan of plansOf(market, cohort)) labels.push(...labelsOfLaunch(plan))
  }
  return labels.filter(({ atMs }) => atMs >= fromMs && atMs < toMs).sort((left, right) => left.atMs - right.atMs)
}

function labelsOfLaunch(plan: LaunchPlan): readonly Label[] {
  const launch = { token: plan.token, pool: plan.pool, launchKind: plan.kind, createdAtMs: plan.createdAtSec * 1000 }
  const labels: Label[] = plan.bursts.map(({ tier, style, startSec, endSec }) => ({
    ...launch,
    kind: 'burst',
    tier,
    style,
    atMs: startSec * 1000,
    endsAtMs: endSec * 1000,
  }))
  const { changes, secondAtSec } = plan.liquidityPlan
  for (const { atSec, does } of changes) labels.push({ ...launch, kind: 'liquidity-change', atMs: atSec * 1000, does })
  if (secondAtSec !== null) labels.push({ ...launch, kind: 'second', atMs: secondAtSec * 1000 })
  if (plan.dumpAtSec !== null) labels.push({ ...launch, kind: 'dump', atMs: plan.dumpAtSec * 1000 })
  return labels
}
