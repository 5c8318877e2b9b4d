/**
 * Who holds the first liquidity of a v4 launch: the owners of its position NFTs, or a contract that holds it without
 * NFTs.
 */

import type { Hex } from '../../../schemas/units.ts'
import { createRandom } from '../../simulated/random.ts'
import { addressOf } from './identities.ts'

/**
 * `kept` by the creator, sent to the `dead` address or to a `locker`, `split` between the creator and two others, or
 * added by a `contract` in its own name. `launchpad`: minted to the launchpad's locker at graduation.
 */
type CustodyKind = 'kept' | 'dead' | 'locker' | 'split' | 'contract' | 'launchpad'

export type Custody = Readonly<{
  kind: CustodyKind
  /** When the creator transfers NFTs, if it does. */
  atSec: number
  /** Pulling all liquidity also burns the NFTs. */
  burnsOnPull: boolean
  /** The simulated node knows no such NFTs, although the log does. Such liquidity must never be classed as safe. */
  isUnreadable: boolean
}>

export const nobody: Hex = '0x0000000000000000000000000000000000000000'
export const deadAddress: Hex = '0x000000000000000000000000000000000000dead'
export const lockerOf = (seed: number): Hex => addressOf(seed, 'locker')
export const launchpadLockerOf = (seed: number): Hex => addressOf(seed, 'launchpad locker')
export const liquidityContractOf = (seed: number): Hex => addressOf(seed, 'liquidity contract')

/** Percent of the liquidity. The creator keeps the first part. */
export const splitShares = [40n, 35n, 25n] as const

/** Has its own random numbers, so that trading does not depend on it. Liquidity that is pulled was kept. */
export function planCustody(
  seed: number,
  launch: Readonly<{ id: number; createdAtSec: number; isPulled: boolean }>,
): Custody {
  const random = createRandom(seed, launch.id, 6)
  const atSec = launch.createdAtSec + random.whole(15, 200)
  const burnsOnPull = random.chance(0.5)
  const chance = random.unit()
  return { kind: launch.isPulled ? 'kept' : kindOf(chance), atSec, burnsOnPull, isUnreadable: random.chance(0.06) }
}

function kindOf(chance: number): CustodyKind {
  if (chance < 0.35) return 'kept'
  if (chance < 0.55) return 'dead'
  if (chance < 0.75) return 'locker'
  return chance < 0.87 ? 'split' : 'contract'
}
