/**
 * Returns the median, or null without values. Between two values it is computed as in ClickHouse's
 * `quantileExactInclusive`, so equal data has equal medians in all answers, to the last digit.
 */
export function medianOrNull(values: readonly number[]): number | null {
  const sorted = [...values].sort((left, right) => left - right)
  const middle = (sorted.length - 1) / 2
  const [low, high] = [sorted[Math.floor(middle)], sorted[Math.ceil(middle)]]
  if (low === undefined || high === undefined) return null
  return low + (middle % 1) * (high - low)
}
