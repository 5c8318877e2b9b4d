/**
 * Computes when a young pool gets a new liquidity profile although its liquidity did not change. This happens
 * each time the age of the pool is a multiple of `checkEveryMs`.
 */
import type { ChainANumbers } from '../../../schemas/chain-a/numbers.ts'
import type { EpochMs } from '../../../schemas/units.ts'

type CheckRules = Pick<ChainANumbers['liquidity'], 'checkEveryMs' | 'checkedMsMax'>

/** Returns the time of the first such profile after `afterMs`. Null: the pool is too old for further ones. */
export function nextCheckOf(
  createdAtMs: EpochMs,
  afterMs: EpochMs,
  { checkEveryMs, checkedMsMax }: CheckRules,
): EpochMs | null {
  const ageMs = (Math.floor((afterMs - createdAtMs) / checkEveryMs) + 1) * checkEveryMs
  return ageMs < checkedMsMax ? createdAtMs + ageMs : null
}

export function isCheck(createdAtMs: EpochMs, atMs: EpochMs, { checkEveryMs, checkedMsMax }: CheckRules): boolean {
  const ageMs = atMs - createdAtMs
  return ageMs > 0 && ageMs < checkedMsMax && ageMs % checkEveryMs === 0
}
