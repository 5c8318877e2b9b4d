/** Returns `count` as a share of `all`. Returns null if `all` is 0. */
export const shareOf = (count: number, all: number): number | null => (all === 0 ? null : count / all)

/** Returns the middle value, or the mean of the two middle values. */
export function medianOf(values: readonly number[]): number | null {
  const sorted = [...values].sort((one, other) => one - other)
  const [low, high] = [sorted[Math.floor((sorted.length - 1) / 2)], sorted[Math.floor(sorted.length / 2)]]
  return low === undefined || high === undefined ? null : (low + high) / 2
}
