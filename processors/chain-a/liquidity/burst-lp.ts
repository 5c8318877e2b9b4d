/**
 * Describes who owns the liquidity of a pool at the end of the block in which a burst fired. Also requests a
 * lookup of the owners of the largest positions.
 */
import type { Burst, BurstLp, OwnersAsked } from '../../../schemas/chain-a/derived.ts'
import type { OwnersAnswered } from '../../../schemas/chain-a/facts.ts'
import type { EpochMs } from '../../../schemas/units.ts'
import { revisionOf } from '../buyers/buyers.ts'
import {
  type ClassRules,
  classify,
  type HeldNft,
  isDoubted,
  type LpSums,
  largestNfts,
  type Ownership,
  sharesOf,
  sumLiquidity,
} from './ownership.ts'

export type SignalLp = {
  readonly burst: Pick<Burst, 'pool' | 'tier' | 'atMs'>
  readonly sums: LpSums
  readonly firstAddAtMs: EpochMs | null
  readonly lpAdds: number
  readonly questionId: string
  readonly revision: number
  readonly asked: readonly HeldNft[]
  /** Whether the node named another owner than the log for at least one position NFT. */
  isDoubted: boolean
  isShown: boolean
  /** Whether the first result of the lookup has come, or no lookup was needed. */
  isAnswered: boolean
}

/**
 * Copies the liquidity of a v4 pool at a burst of the tier `main` or `lite`. Call this function at the end of
 * the block in which the burst fired.
 */
export function freezeLp(burst: Burst, ownership: Ownership, askedPositionsMax: number): SignalLp {
  const { pool, tier, atMs } = burst
  const asked = largestNfts(ownership, askedPositionsMax)
  return {
    burst: { pool, tier, atMs },
    sums: sumLiquidity(ownership),
    firstAddAtMs: ownership.firstAddAtMs,
    lpAdds: ownership.lpAdds,
    questionId: `${pool}:${tier}:${atMs}`,
    revision: revisionOf([burst.blockHash, ...asked.map(({ positionId }) => positionId)]),
    asked,
    isDoubted: false,
    isShown: false,
    isAnswered: asked.length === 0,
  }
}

export const ownersAskedOf = ({ blockNumber, blockHash }: Burst, lp: SignalLp): OwnersAsked => ({
  questionId: lp.questionId,
  revision: lp.revision,
  ...lp.burst,
  blockNumber,
  blockHash,
  positionIds: lp.asked.map(({ positionId }) => positionId),
})

/**
 * Takes in the owners that the node named. The liquidity of a position NFT with another owner than in the log
 * is moved to the category `unknown`. Returns whether there is such an NFT. A failed lookup changes nothing.
 */
export function takeOwners(lp: SignalLp, { owners }: OwnersAnswered): boolean {
  lp.isAnswered = true
  const named = new Map(owners?.map(({ positionId, owner }) => [positionId, owner]))
  for (const nft of lp.asked) {
    const owner = named.get(nft.positionId)
    if (owner === undefined || !isDoubted(nft, owner)) continue
    lp.sums[nft.bucket] -= nft.liquidity
    lp.sums.unknown += nft.liquidity
    lp.isDoubted = true
  }
  return lp.isDoubted
}

/**
 * Builds the record of the liquidity at a burst. The risk class is `unknown` if there is no liquidity, or if
 * the node contradicted the log (`isDoubted`).
 */
export function burstLpOf(signal: SignalLp, rules: ClassRules): BurstLp {
  const { burst, sums, firstAddAtMs, lpAdds, isDoubted: isUnsure } = signal
  const known = classify(sums, rules)
  return {
    ...burst,
    class: isUnsure || known === 'empty' ? 'unknown' : known,
    ...sharesOf(sums),
    firstAddAtMs,
    lpAdds,
  }
}
