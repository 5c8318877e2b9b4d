import { forgottenAtMs } from '../../schemas/calls/following.ts'
import type { PoolAddress } from '../../schemas/chain-a/addresses.ts'
import { curveLifeMs } from '../../schemas/chain-a/curve-life.ts'
import { poolLifeMs } from '../../schemas/chain-a/pool-life.ts'
import { dayMs, type EpochMs } from '../../schemas/units.ts'
import type { FollowedTokens } from '../followed-tokens.ts'

/**
 * Whether the service still follows the pool. Logs of other pools are ignored. A call of the token in a chat
 * extends this time if it comes early enough (see `forgottenAtMs`). The pool's age is counted in block time.
 * The result therefore does not depend on when and in which ranges blocks are read.
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
 * Whether the curve still counts as known. After `curveLifeMs`, a curve counts as an unknown address and is
 * looked up at the node. `seenAtMs` may be some days before the curve's last trade. So ingest may look up a
 * curve that the processing stage still remembers. But if the stage has forgotten a curve, ingest always
 * publishes a `CurveFound` before the next trade.
 */
export const isCurveAlive = (seenAtMs: EpochMs, blockAtMs: EpochMs): boolean => blockAtMs - seenAtMs < curveLifeMs

/**
 * Whether to look up a traded curve again. The lookup is due on the first buy after one day, or on any trade
 * after three days. A buy is better, because it shows the fees to a program that reads the log from this
 * `CurveFound` on. The lookup publishes a `CurveFound` if the node gives the reserve. In any case, it renews
 * `seenAtMs` in the address book. So a failing node is asked at most one time a day, and a traded curve stays
 * known. Without the reserve, days remain for further lookups before the earlier facts expire.
 */
export const isFindDue = (seenAtMs: EpochMs, { blockAtMs, isBuy }: Readonly<{ blockAtMs: EpochMs; isBuy: boolean }>) =>
  blockAtMs - seenAtMs >= (isBuy ? findEveryMs : findEveryMsMax)
