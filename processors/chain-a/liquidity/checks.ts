/** When a pool is profiled although its liquidity did not change: every 10 minutes of its age, while under 6 hours old. */

export const checkEveryMs = 10 * 60_000
export const checkedAgeMsMax = 6 * 3_600_000

/** The first check after the instant. Null if the pool is too old for another. */
export function nextCheckOf(createdAtMs: number, afterMs: number): number | null {
  const ageMs = (Math.floor((afterMs - createdAtMs) / checkEveryMs) + 1) * checkEveryMs
  return ageMs < checkedAgeMsMax ? createdAtMs + ageMs : null
}

export function isCheck(createdAtMs: number, atMs: number): boolean {
  const ageMs = atMs - createdAtMs
  return ageMs > 0 && ageMs < checkedAgeMsMax && ageMs % checkEveryMs === 0
}
