import { forgottenAtMs } from '../../schemas/calls/following.ts'
import type { PoolAddress } from '../../schemas/chain-a/addresses.ts'
import { curveLifeMs } from '../../schemas/chain-a/curve-life.ts'
import { poolLifeMs } from '../../schemas/chain-a/pool-life.ts'
import { dayMs, type EpochMs } from '../../schemas/units.ts'
import type { FollowedTokens } from '../followed-tokens.ts'

/**
 * Logs of a pool past its life are ignored. A call in time extends the life of a token's pools. Block times decide, so
 * that neither the cut into ranges nor a second read of the same blocks changes the result.
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
 * A curve past its life counts as a stranger. `seenAtMs` may be some days before the last trade, so a curve may be
 * found again that the stage still knows. But no trade is published for a curve that the stage has forgotten.
 */
export const isCurveAlive = (seenAtMs: EpochMs, blockAtMs: EpochMs): boolean => blockAtMs - seenAtMs < curveLifeMs

/**
 * Whether to find a traded curve again and renew `seenAtMs` in the book. This is due long before facts expire, which
 * leaves more days for retries if the node cannot give the reserve. It waits up to three days for a buy: neither a find
 * nor a sell shows the fees that buyers pay, and a reader may begin there.
 */
export const isFindDue = (seenAtMs: EpochMs, { blockAtMs, isBuy }: Readonly<{ blockAtMs: EpochMs; isBuy: boolean }>) =>
  blockAtMs - seenAtMs >= (isBuy ? findEveryMs : findEveryMsMax)
