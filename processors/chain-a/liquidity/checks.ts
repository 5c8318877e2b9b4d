/** Decides when a pool is profiled without a change of its liquidity: at every multiple of an age, while it is young. */
import type { ChainANumbers } from '../../../schemas/chain-a/numbers.ts'

type CheckRules = Pick<ChainANumbers['liquidity'], 'checkEveryMs' | 'checkedMsMax'>

/** The first check after the instant. Null: the pool is too old for another. */
export function nextCheckOf(
  createdAtMs: number,
  afterMs: number,
  { checkEveryMs, checkedMsMax }: CheckRules,
): number | null {
  const ageMs = (Math.floor((afterMs - createdAtMs) / checkEveryMs) + 1) * checkEveryMs
  return ageMs < checkedMsMax ? createdAtMs + ageMs : null
}

export function isCheck(createdAtMs: number, atMs: number, { checkEveryMs, checkedMsMax }: CheckRules): boolean {
  const ageMs = atMs - createdAtMs
  return ageMs > 0 && ageMs < checkedMsMax && ageMs % checkEveryMs === 0
}
