/** All unit tests, the nearest to a file first. */
import { posix } from 'node:path'
import type { Import } from '../tidy/read-imports.ts'

/** Tests of the repository itself: they read each file, and would notice the format of a change. */
const isOfRepository = (test: string): boolean => /^test\/([^/]*$|mutation\/|tidy\/)/.test(test)

export const isUnitTest = (file: string): boolean =>
  /^test\/.*\.test\.ts$/.test(file) && !file.endsWith('.int.test.ts') && !isOfRepository(file)

/** They start whole services, and are slow. */
const isOfProofs = (test: string): boolean => /^test\/(proofs|bench|end-to-end)\//.test(test)

/** How many folders two paths share from their root. */
function sharedFolders(left: string, right: string): number {
  const [leftParts, rightParts] = [left.split('/'), right.split('/')]
  const at = leftParts.findIndex((part, index) => part !== rightParts[index])
  return at < 0 ? leftParts.length : at
}

/**
 * The test of the file first, then those that reach it through the fewest imports, those in the nearest folder first; last those
 * that do not reach it by imports: they may start a program that does. Tests of proofs come after the other ones that reach it.
 */
export function nearestTests(
  file: string,
  tests: readonly string[],
  importersOf: ReadonlyMap<string, readonly string[]>,
): readonly string[] {
  const distances = new Map([[file, 0]])
  for (const [path, distance] of distances)
    for (const importer of importersOf.get(path) ?? [])
      if (!distances.has(importer)) distances.set(importer, distance + 1)
  const distanceTo = (test: string): number =>
    (distances.get(test) ?? Number.POSITIVE_INFINITY) + (isOfProofs(test) ? distances.size : 0)
  const own = `test/${file.replace(/\.[jt]s$/, '.test.ts')}`
  return tests
    .map((test) => ({
      test,
      distance: test === own ? 0 : distanceTo(test),
      shared: sharedFolders(test, own),
    }))
    .toSorted((left, right) => {
      if (left.distance !== right.distance) return left.distance - right.distance
      return right.shared - left.shared || left.test.localeCompare(right.test)
    })
    .map(({ test }) => test)
}

/** Who imports each file. */
export function importersOf(imports: readonly Import[]): ReadonlyMap<string, readonly string[]> {
  const importers = new Map<string, string[]>()
  for (const { from, target } of imports) {
    const path = posix.normalize(target)
    const known = importers.get(path)
    if (known) known.push(from)
    else importers.set(path, [from])
  }
  return importers
}
