/** Decides when a young pool gets a profile although its liquidity did not change: at each multiple of `checkEveryMs` of its age. */
import type { ChainANumbers } from '../../../schemas/chain-a/numbers.ts'
import type { EpochMs } from '../../../schemas/units.ts'

type CheckRules = Pick<ChainANumbers['liquidity'], 'checkEveryMs' | 'checkedMsMax'>

/** Returns the first check after `afterMs`. Null: the pool is too old for further checks. */
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
