/** Lists and points whose memory the tests of lean lists measure. */
import { keptOf, noItems, withItem } from '../../processors/lean-list.ts'
import { compactPoints, noPoints, type Points, pushPoint } from '../../processors/markets/points.ts'

const item = { of: 'a token' }
const two = [item, item]

export const makers = {
  'two items': () => [item, item],
  'with an item': () => withItem([item], item),
  'with its first item': () => withItem<object>(noItems, item),
  'of the kept items': () => keptOf(two, () => true),
  spread: () => [...two],
  'spread and filtered': () => [...two, item].filter(() => true),
  points: pushedPoints,
  'compact points': compactedPoints,
}

export function pushedPoints(): Points {
  const points = noPoints()
  for (const atMs of [1000, 2000, 3000]) pushPoint(points, atMs, 0.5)
  return points
}

export function compactedPoints(): Points {
  const points = pushedPoints()
  compactPoints(points)
  return points
}
