import { base58OfHex } from '../../infra/base58.ts'
import { forgottenAtMs } from '../../schemas/calls/following.ts'
import type { GraduatedPoolAddress, MintAddress } from '../../schemas/chain-b/addresses.ts'
import { curveLifeMs, graduatedLifeMs } from '../../schemas/chain-b/mint-life.ts'
import type { EpochMs } from '../../schemas/units.ts'
import type { FollowedTokens } from '../followed-tokens.ts'

/**
 * Whether ingest still follows a curve that was last traded at `seenAtMs`. A curve that is not followed any
 * more counts as unknown, so its next trade causes the fact `CurveFound`. All times are block times, so the
 * result does not depend on how slots are grouped in ranges.
 */
export const isCurveAlive = (seenAtMs: EpochMs, blockAtMs: EpochMs): boolean => blockAtMs - seenAtMs < curveLifeMs

/**
 * Whether ingest still follows a pool. For ingest, the time begins at the migration of the curve into the
 * pool. For the signal processor, it begins earlier, at the completion of the curve. So ingest reads a pool
 * somewhat longer than needed. If a chat recommends the token in this time, ingest follows the pool for
 * longer.
 */
export function isPoolAlive(
  { migratedAtMs, mint }: Pick<GraduatedPoolAddress, 'migratedAtMs' | 'mint'>,
  blockAtMs: EpochMs,
  followed: FollowedTokens,
): boolean {
  const ownMs = migratedAtMs + graduatedLifeMs
  return blockAtMs <= ownMs || blockAtMs <= forgottenAtMs(ownMs, followed.of(base58OfHex(mint)))
}

/**
 * Whether a mint stays in the address book. If a chat recommends the token, the entry stays even after ingest
 * has stopped to follow the curve. A later trade still causes the fact `CurveFound`.
 */
export function isMintKept({ seenAtMs, mint }: MintAddress, blockAtMs: EpochMs, followed: FollowedTokens): boolean {
  if (isCurveAlive(seenAtMs, blockAtMs)) return true
  return blockAtMs < forgottenAtMs(seenAtMs + curveLifeMs, followed.of(base58OfHex(mint)))
}
