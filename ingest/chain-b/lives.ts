import { base58OfHex } from '../../infra/base58.ts'
import { forgottenAtMs } from '../../schemas/calls/following.ts'
import type { GraduatedPoolAddress, MintAddress } from '../../schemas/chain-b/addresses.ts'
import { curveLifeMs, graduatedLifeMs } from '../../schemas/chain-b/mint-life.ts'
import type { EpochMs } from '../../schemas/units.ts'
import type { FollowedTokens } from '../followed-tokens.ts'

/**
 * Whether a curve is still followed. After its life the curve counts as unknown, and its next trade causes `CurveFound`. The life is
 * measured in block times, so the result does not depend on the ranges.
 */
export const isCurveAlive = (seenAtMs: EpochMs, blockAtMs: EpochMs): boolean => blockAtMs - seenAtMs < curveLifeMs

/**
 * Whether a pool is still followed. For ingest, its life begins at the migration. For the stage, it begins and ends earlier, at the
 * completion of the curve. So ingest reads a pool somewhat longer than the stage needs. A call of the token within the life of the pool
 * extends this life.
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
 * Whether a mint stays in the address book. A call of the token keeps the entry beyond the life of the curve. A trade after the life still
 * causes `CurveFound`.
 */
export function isMintKept({ seenAtMs, mint }: MintAddress, blockAtMs: EpochMs, followed: FollowedTokens): boolean {
  if (isCurveAlive(seenAtMs, blockAtMs)) return true
  return blockAtMs < forgottenAtMs(seenAtMs + curveLifeMs, followed.of(base58OfHex(mint)))
}
