import { forgottenAtMs } from '../../schemas/calls/following.ts'
import type { PoolAddress } from '../../schemas/chain-a/addresses.ts'
import { curveLifeMs } from '../../schemas/chain-a/curve-life.ts'
import { poolLifeMs } from '../../schemas/chain-a/pool-life.ts'
import { dayMs, type EpochMs } from '../../schemas/units.ts'
import type { FollowedTokens } from '../followed-tokens.ts'

/**
 * Whether the pool is still followed; logs of other pools are ignored. A call of the token that comes early enough
 * before the end of the pool's life extends this life. Block times decide, so the result does not depend on how blocks
 * are cut into ranges, or on when they are read.
 */
export function isPoolAlive(
  { createdAtMs, token }: Pick<PoolAddress, 'createdAtMs' | 'token'>,
  blockAtMs: EpochMs,
  followed: FollowedTokens,
): boolean {
  const ownMs = createdAtMs + poolLifeMs
  return blockAtMs <= ownMs || blockAtMs <= forgottenAtMs(ownMs, followed.of(token))
}

const findEveryMs = dayMs
const findEveryMsMax = 3 * dayMs

/**
 * Whether the curve still counts as known. A curve past its life counts as a stranger.
 * `seenAtMs` may be some days before the curve's last trade. So a curve may be looked up although the stage still has
 * it, but trades are never published for a curve that the stage has already forgotten.
 */
export const isCurveAlive = (seenAtMs: EpochMs, blockAtMs: EpochMs): boolean => blockAtMs - seenAtMs < curveLifeMs

/**
 * Whether to look up a traded curve again, which publishes a `CurveFound` and renews `seenAtMs` in the book.
 * The lookup is due on the first buy after one day, or on any trade after three days. It prefers a buy: neither
 * `CurveFound` nor a sell shows the fees that buyers pay, and a reader may begin here. Facts expire much later, so if
 * the node cannot give the reserve, days are left for retries.
 */
export const isFindDue = (seenAtMs: EpochMs, { blockAtMs, isBuy }: Readonly<{ blockAtMs: EpochMs; isBuy: boolean }>) =>
  blockAtMs - seenAtMs >= (isBuy ? findEveryMs : findEveryMsMax)
