/** When a pool is profiled again though nothing happened to its liquidity: every 10 minutes of age, under 6 hours. */

export const checkEveryMs = 10 * 60_000
export const checkedAgeMsMax = 6 * 3_600_000

/** The first check after the instant; null when the pool is too old for another. */
export function nextCheckOf(createdAtMs: number, afterMs: number): number | null {
  const ageMs = (Math.floor((afterMs - createdAtMs) / checkEveryMs) + 1) * checkEveryMs
  return ageMs < checkedAgeMsMax ? createdAtMs + ageMs : null
}

export const isCheck = (createdAtMs: number, atMs: number): boolean =>
  atMs > createdAtMs && nextCheckOf(createdAtMs, atMs - 1) === atMs
