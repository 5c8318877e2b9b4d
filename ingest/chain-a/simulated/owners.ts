import type { Address, PositionId } from '../../../schemas/units.ts'
import type { OwnerReader } from '../lookups/owners.ts'
import { isCurveId } from './curve-plan.ts'
import { launchpadLockerOf, nobody } from './custody.ts'
import { type Identities, launchOfPosition, secondOfBlock } from './identities.ts'
import { tradelessStoryOf } from './launch-story.ts'
import { type Market, planOf } from './plan.ts'

/**
 * Creates a function that returns the owners of position NFTs at the end of a block. The owners are computed
 * from the launch plans. For a few NFTs, the owner is null on purpose, so that missing answers are simulated
 * too.
 */
export function createOwnerReader(market: Market, identities: Identities): OwnerReader {
  return async ({ blockNumber, positionIds }) =>
    new Map(positionIds.map((id) => [id, ownerAt(market, identities, { id, second: secondOfBlock(blockNumber) })]))
}

function ownerAt(
  market: Market,
  identities: Identities,
  { id, second }: Readonly<{ id: PositionId; second: number }>,
): Address | null {
  const launchId = launchOfPosition(id)
  // The position of a graduated curve always belongs to the launchpad's locker contract.
  if (isCurveId(launchId)) return launchpadLockerOf(identities.seed)
  const plan = planOf(market, launchId)
  if (plan?.custody.isUnreadable) return null
  let owner: Address = nobody
  for (const transaction of plan ? tradelessStoryOf(market, plan, identities) : []) {
    if (transaction.second > second) break
    for (const { type, data } of transaction.drafts)
      if (type === 'PositionTransferred' && data.positionId === id) owner = data.to
  }
  return owner === nobody ? null : owner
}
