import { forgottenAtMs } from '../../schemas/calls/following.ts'
import type { PoolAddress } from '../../schemas/chain-a/addresses.ts'
import { curveLifeMs } from '../../schemas/chain-a/curve-life.ts'
import { poolLifeMs } from '../../schemas/chain-a/pool-life.ts'
import { dayMs, type EpochMs } from '../../schemas/units.ts'
import type { FollowedTokens } from '../followed-tokens.ts'

/**
 * Whether the pool is still followed. Logs of other pools are ignored. A call of the token extends the pool's life if
 * the call comes early enough (see `forgottenAtMs`).
 * The pool's age is counted in block time. So the result is the same however blocks are split into ranges, and whenever
 * they are read.
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
 * Whether the curve still counts as known. After its life, a curve counts as an unknown address, which is looked up.
 * `seenAtMs` may be some days before the curve's last trade, so ingest may look up a curve that the stage still has.
 * The reverse cannot happen: if the stage has forgotten a curve, ingest publishes a `CurveFound` before the next trade.
 */
export const isCurveAlive = (seenAtMs: EpochMs, blockAtMs: EpochMs): boolean => blockAtMs - seenAtMs < curveLifeMs

/**
 * Whether to look up a traded curve again. If the node gives the reserve, the lookup publishes a `CurveFound`. It renews
 * `seenAtMs` in the address book in any case: a failing node is asked at most once a day, and a traded curve stays
 * known. The lookup is due on the first buy after one day, or on any trade after three days. A buy is preferred because
 * it shows the fees that buyers pay. A program that reads the log from this `CurveFound` on needs these fees. If the
 * node cannot give the reserve, days remain for further lookups before the earlier facts expire.
 */
export const isFindDue = (seenAtMs: EpochMs, { blockAtMs, isBuy }: Readonly<{ blockAtMs: EpochMs; isBuy: boolean }>) =>
  blockAtMs - seenAtMs >= (isBuy ? findEveryMs : findEveryMsMax)
