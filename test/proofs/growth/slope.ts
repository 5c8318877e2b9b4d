import assert from 'node:assert/strict'

export type Point = Readonly<{ hour: number; value: number }>

/** The slope per hour of the least-squares line through the points. */
export function slopeOf(points: readonly Point[]): number {
  assert.ok(points.length > 1, 'a line needs two points')
  const mean = (of: (point: Point) => number) => points.reduce((sum, point) => sum + of(point), 0) / points.length
  const [meanHour, meanValue] = [mean(({ hour }) => hour), mean(({ value }) => value)]
  const covariance = mean(({ hour, value }) => (hour - meanHour) * (value - meanValue))
  return covariance / mean(({ hour }) => (hour - meanHour) ** 2)
}

/**
 * Returns the points of the second half. A start fills caches, but endless growth also continues in the
 * second half.
 */
export function secondHalf(points: readonly Point[]): readonly Point[] {
  const middle = (points.at(-1)?.hour ?? 0) / 2
  return points.filter(({ hour }) => hour >= middle)
}
