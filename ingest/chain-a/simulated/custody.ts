/**
 * Plans who owns the first liquidity of a simulated v4 launch: the owners of its position NFTs, or a contract
 * without NFTs.
 */

import type { Address } from '../../../schemas/units.ts'
import type { LiquidityPlan } from '../../simulated/market/liquidity-plan.ts'
import { createRandom } from '../../simulated/random.ts'
import { addressOf } from './identities.ts'

/**
 * Who owns the liquidity of a v4 launch.
 * - `kept`: the creator.
 * - `dead`, `locker`: the dead address or a locker contract, to which the creator sends the NFTs.
 * - `split`: the creator and two others, who share the NFTs.
 * - `contract`: a contract that added the liquidity in its own name.
 * - `launchpad`: the launchpad's locker contract, to which the NFT was minted at graduation.
 * - `unseen`: unknown, because neither the recorded facts nor the node show the owners of the NFTs.
 */
type CustodyKind = 'kept' | 'dead' | 'locker' | 'split' | 'contract' | 'launchpad' | 'unseen'

export type Custody = Readonly<{
  kind: CustodyKind
  /** The time at which the creator transfers the NFTs, in seconds. Only used if the creator transfers any. */
  atSec: number
  /**
   * The share of the liquidity in each position, in percent. Only the kind `split` has several positions. The creator keeps the first
   * position.
   */
  parts: readonly number[]
  /** Whether the creator also burns the NFTs when it removes all liquidity. */
  burnsOnPull: boolean
  /**
   * Whether the simulated node does not know the owners of the NFTs, although recorded transfers show them.
   * The service must never class such liquidity as safe.
   */
  isUnreadable: boolean
}>

export const nobody: Address = '0x0000000000000000000000000000000000000000'
export const deadAddress: Address = '0x000000000000000000000000000000000000dead'
export const lockerOf = (seed: number): Address => addressOf(seed, 'locker')
export const launchpadLockerOf = (seed: number): Address => addressOf(seed, 'launchpad locker')
export const liquidityContractOf = (seed: number): Address => addressOf(seed, 'liquidity contract')

const wholeParts = [100] as const

/**
 * Plans the custody of a launch. The custody has its own random numbers, so trading does not depend on it. A
 * creator that changes its liquidity later must hold it. So for every liquidity plan except `kept`, the custody is
 * `kept`.
 */
export function planCustody(
  seed: number,
  launch: Readonly<{ id: number; createdAtSec: number; liquidityPlan: LiquidityPlan }>,
): Custody {
  const random = createRandom(seed, launch.id, 6)
  const atSec = launch.createdAtSec + random.whole(15, 200)
  const burnsOnPull = random.chance(0.5)
  const chance = random.unit()
  const isUnreadable = random.chance(0.06)
  const kind = launch.liquidityPlan.kind === 'kept' ? kindOf(chance) : 'kept'
  const creatorPercent = random.chance(0.4) ? 40 : random.whole(46, 99)
  const secondPercent = Math.ceil((100 - creatorPercent) * 0.58)
  const parts = [creatorPercent, secondPercent, 100 - creatorPercent - secondPercent].filter((part) => part > 0)
  return { kind, atSec, parts: kind === 'split' ? parts : wholeParts, burnsOnPull, isUnreadable }
}

function kindOf(chance: number): CustodyKind {
  if (chance < 0.1) return 'unseen'
  if (chance < 0.3) return 'kept'
  if (chance < 0.5) return 'dead'
  if (chance < 0.7) return 'locker'
  return chance < 0.88 ? 'split' : 'contract'
}
