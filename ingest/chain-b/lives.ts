import { base58OfHex } from '../../infra/base58.ts'
import { forgottenAtMs } from '../../schemas/calls/following.ts'
import type { GraduatedPoolAddress, MintAddress } from '../../schemas/chain-b/addresses.ts'
import { curveLifeMs, graduatedLifeMs } from '../../schemas/chain-b/mint-life.ts'
import type { FollowedTokens } from '../followed-tokens.ts'

/** After its life a curve is a stranger, and is found again. Judged by block time, so that the cut into ranges changes nothing. */
export const isCurveAlive = (seenAtMs: number, blockAtMs: number): boolean => blockAtMs - seenAtMs < curveLifeMs

/**
 * A pool opens after its curve was complete, so an entry is kept somewhat longer than its trades are read. Longer still if its
 * mint was called in time.
 */
export function isPoolAlive(
  { migratedAtMs, mint }: Pick<GraduatedPoolAddress, 'migratedAtMs' | 'mint'>,
  blockAtMs: number,
  followed: FollowedTokens,
): boolean {
  const ownMs = migratedAtMs + graduatedLifeMs
  return blockAtMs <= ownMs || blockAtMs <= forgottenAtMs(ownMs, followed.of(base58OfHex(mint)))
}

/** A called mint stays in the book, as one that ingest knows; its idle curve is found again all the same. */
export function isMintKept({ seenAtMs, mint }: MintAddress, blockAtMs: number, followed: FollowedTokens): boolean {
  if (isCurveAlive(seenAtMs, blockAtMs)) return true
  return blockAtMs < forgottenAtMs(seenAtMs + curveLifeMs, followed.of(base58OfHex(mint)))
}
