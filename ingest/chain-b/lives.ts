import { base58OfHex } from '../../infra/base58.ts'
import { forgottenAtMs } from '../../schemas/calls/following.ts'
import type { GraduatedPoolAddress, MintAddress } from '../../schemas/chain-b/addresses.ts'
import { curveLifeMs, graduatedLifeMs } from '../../schemas/chain-b/mint-life.ts'
import type { EpochMs } from '../../schemas/units.ts'
import type { FollowedTokens } from '../followed-tokens.ts'

/**
 * Whether a curve is still followed. Afterwards, the curve counts as unknown, and its next trade causes
 * `CurveFound`. The time is measured in block times, so the result does not depend on how slots are grouped
 * in ranges.
 */
export const isCurveAlive = (seenAtMs: EpochMs, blockAtMs: EpochMs): boolean => blockAtMs - seenAtMs < curveLifeMs

/**
 * Whether a pool is still followed. Ingest counts the life of a pool from the migration. The stage counts
 * from the completion of the curve, which is earlier. So ingest reads a pool somewhat longer than the stage
 * needs. If a chat calls the token within this life, the life becomes longer.
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
 * Whether a mint stays in the address book. If a chat calls the token, the entry stays even after the life of
 * the curve. A trade after this life still causes `CurveFound`.
 */
export function isMintKept({ seenAtMs, mint }: MintAddress, blockAtMs: EpochMs, followed: FollowedTokens): boolean {
  if (isCurveAlive(seenAtMs, blockAtMs)) return true
  return blockAtMs < forgottenAtMs(seenAtMs + curveLifeMs, followed.of(base58OfHex(mint)))
}
