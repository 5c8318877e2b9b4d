/** The unit tests that run a line. */
import type { Change } from './changes.ts'
import type { Reach } from './reach.ts'

/** The number of nearest tests that run first, because they notice most changes. */
const nearestMax = 4

/**
 * Returns the tests that run the line. Up to four of the nearest tests come first, then the quickest. If no
 * test runs the line, returns all of `nearest`.
 */
export function reachingTests(
  nearest: readonly string[],
  reach: readonly Reach[],
  { file, line }: Pick<Change, 'file' | 'line'>,
): readonly string[] {
  const reaching = reach
    .filter(({ lines }) => lines[file]?.includes(line))
    .toSorted((left, right) => left.ms - right.ms)
    .map(({ test }) => test)
  const first = nearest.filter((test) => reaching.includes(test)).slice(0, nearestMax)
  return reaching.length === 0 ? nearest : [...new Set([...first, ...reaching])]
}
