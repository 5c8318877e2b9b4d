import type { Hex } from '../../../schemas/units.ts'
import type { OwnerReader } from '../lookups/owners.ts'
import { isCurveId } from './curve-plan.ts'
import { launchpadLockerOf, nobody } from './custody.ts'
import { secondOfBlock, type World } from './identities.ts'
import { tradelessLifeOf } from './life.ts'
import { cohortOfId, type LaunchPlan, type Market, plansOf } from './plan.ts'

/** Most positions that are asked about are of the last hours. */
const cohortsKept = 8

/**
 * The owners of position NFTs at the end of a block, computed from the launch plans. A few NFTs do not exist for it.
 */
export function createOwnerReader(market: Market, world: World): OwnerReader {
  const cohorts = new Map<number, readonly LaunchPlan[]>()
  const plansIn = (cohort: number): readonly LaunchPlan[] => {
    const plans = cohorts.get(cohort) ?? plansOf(market, cohort)
    cohorts.set(cohort, plans)
    const [oldest] = cohorts.keys()
    if (cohorts.size > cohortsKept && oldest !== undefined) cohorts.delete(oldest)
    return plans
  }
  return async ({ blockNumber, positionIds }) =>
    new Map(positionIds.map((id) => [id, ownerAt(plansIn, world, { id, second: secondOfBlock(blockNumber) })]))
}

type PlansIn = (cohort: number) => readonly LaunchPlan[]

function ownerAt(plansIn: PlansIn, world: World, { id, second }: Readonly<{ id: Hex; second: number }>): Hex | null {
  const launchId = Math.floor(Number(id) / 8)
  // Positions of graduated curves stay with the locker for ever.
  if (isCurveId(launchId)) return launchpadLockerOf(world.seed)
  const plan = plansIn(cohortOfId(launchId)).find((each) => each.id === launchId)
  if (plan?.custody.isUnreadable) return null
  let owner: Hex = nobody
  for (const transaction of plan ? tradelessLifeOf(plan, world) : []) {
    if (transaction.second > second) break
    for (const { type, data } of transaction.drafts)
      if (type === 'PositionTransferred' && data.positionId === id) owner = data.to
  }
  return owner === nobody ? null : owner
}
