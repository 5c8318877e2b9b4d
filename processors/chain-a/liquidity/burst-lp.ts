/** The liquidity of a burst's pool at the end of the signal block, and the sample of its owners that the node is asked for. */
import type { Burst, BurstLp, OwnersAsked } from '../../../schemas/chain-a/derived.ts'
import type { OwnersAnswered } from '../../../schemas/chain-a/facts.ts'
import { revisionOf } from '../buyers/buyers.ts'
import {
  classify,
  type HeldNft,
  isDoubted,
  type LpSums,
  largestNfts,
  type Ownership,
  sharesOf,
  sumLiquidity,
} from './ownership.ts'

/** The class is shown no earlier than this after the signal, as the buyers are. */
export const lpDelayMs = 5000
export const askedCountMax = 20

export type SignalLp = {
  readonly burst: Pick<Burst, 'pool' | 'tier' | 'atMs'>
  readonly sums: LpSums
  readonly firstAddAtMs: number | null
  readonly lpAdds: number
  readonly questionId: string
  readonly revision: number
  readonly asked: readonly HeldNft[]
  /** The node named another owner than the log. */
  isDoubted: boolean
  isShown: boolean
  /** Nothing was asked, or the first answer was there. */
  isAnswered: boolean
}

/** Of a v4 main or lite burst, from the pool as it stands at the end of its block. */
export function freezeLp(burst: Burst, ownership: Ownership): SignalLp {
  const { pool, tier, atMs } = burst
  const asked = largestNfts(ownership, askedCountMax)
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

/** Moves what the node says otherwise to `unknown`. True when that changed something. A failure changes nothing. */
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

/** A burst in a pool without liquidity says nothing about who could pull it. */
export function burstLpOf({ burst, sums, firstAddAtMs, lpAdds, isDoubted: isUnsure }: SignalLp): BurstLp {
  const known = classify(sums)
  return {
    ...burst,
    class: isUnsure || known === 'empty' ? 'unknown' : known,
    ...sharesOf(sums),
    firstAddAtMs,
    lpAdds,
  }
}
