import { base58OfHex } from '../../infra/base58.ts'
import { forgottenAtMs } from '../../schemas/calls/following.ts'
import type { GraduatedPoolAddress, MintAddress } from '../../schemas/chain-b/addresses.ts'
import { curveLifeMs, graduatedLifeMs } from '../../schemas/chain-b/mint-life.ts'
import type { EpochMs } from '../../schemas/units.ts'
import type { FollowedTokens } from '../followed-tokens.ts'

/**
 * A curve past its life counts as a stranger and is found again. Block times decide, so that the cut into ranges
 * changes nothing.
 */
export const isCurveAlive = (seenAtMs: EpochMs, blockAtMs: EpochMs): boolean => blockAtMs - seenAtMs < curveLifeMs

/**
 * Pools open after their curve was complete, so an entry is kept somewhat longer than its trades are read. A call in
 * time extends this.
 */
export function isPoolAlive(
  { migratedAtMs, mint }: Pick<GraduatedPoolAddress, 'migratedAtMs' | 'mint'>,
  blockAtMs: EpochMs,
  followed: FollowedTokens,
): boolean {
  const ownMs = migratedAtMs + graduatedLifeMs
  return blockAtMs <= ownMs || blockAtMs <= forgottenAtMs(ownMs, followed.of(base58OfHex(mint)))
}

/** A called mint stays in the book as a known mint, but its idle curve is still found again. */
export function isMintKept({ seenAtMs, mint }: MintAddress, blockAtMs: EpochMs, followed: FollowedTokens): boolean {
  if (isCurveAlive(seenAtMs, blockAtMs)) return true
  return blockAtMs < forgottenAtMs(seenAtMs + curveLifeMs, followed.of(base58OfHex(mint)))
}
