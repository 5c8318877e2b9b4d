import type { Hex } from '../../../schemas/units.ts'
import type { OwnerReader } from '../../source.ts'
import { isCurveId } from './curve-plan.ts'
import { launchpadLockerOf, nobody } from './custody.ts'
import { secondOfBlock, type World } from './identities.ts'
import { tradelessLifeOf } from './life.ts'
import { cohortOfId, type Market, plansOf } from './plan.ts'

/** Who owned position NFTs at the end of a block, from the plans of their launches alone; a few it says do not exist. */
export function createOwnerReader(market: Market, world: World): OwnerReader {
  return async ({ blockNumber, positionIds }) =>
    new Map(positionIds.map((id) => [id, ownerAt(market, world, { id, second: secondOfBlock(blockNumber) })]))
}

function ownerAt(market: Market, world: World, { id, second }: Readonly<{ id: Hex; second: number }>): Hex | null {
  const launchId = Math.floor(Number(id) / 8)
  // What graduated is the locker's for ever.
  if (isCurveId(launchId)) return launchpadLockerOf(world.seed)
  const plan = plansOf(market, cohortOfId(launchId)).find((each) => each.id === launchId)
  if (plan?.custody.isUnreadable) return null
  let owner: Hex = nobody
  for (const transaction of plan ? tradelessLifeOf(plan, world) : []) {
    if (transaction.second > second) break
    for (const { type, data } of transaction.drafts)
      if (type === 'PositionTransferred' && data.positionId === id) owner = data.to
  }
  return owner === nobody ? null : owner
}
