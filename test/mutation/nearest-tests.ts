/** Sorts all unit tests by their distance to a file. */
import { posix } from 'node:path'
import type { Import } from '../tidy/read-imports.ts'

/**
 * Returns true for tests of the repository itself. They read every file, so they would fail because of the
 * formatting of a change.
 */
const isOfRepository = (test: string): boolean => /^test\/([^/]*$|mutation\/|tidy\/)/.test(test)

export const isUnitTest = (file: string): boolean =>
  /^test\/.*\.test\.ts$/.test(file) && !file.endsWith('.int.test.ts') && !isOfRepository(file)

export type Graph = Readonly<{
  imports: ReadonlyMap<string, readonly string[]>
  importers: ReadonlyMap<string, readonly string[]>
}>

/** Returns the number of imports between `file` and each other file. */
function distancesFrom(file: string, next: Graph['imports']): ReadonlyMap<string, number> {
  const distances = new Map([[file, 0]])
  for (const [path, distance] of distances)
    for (const other of next.get(path) ?? []) if (!distances.has(other)) distances.set(other, distance + 1)
  return distances
}

/**
 * This number of loaded files counts as much as one more import. A test that loads many files is slow and
 * less specific.
 */
const filesPerStep = 100

/**
 * Returns the tests, nearest first. The file's own test comes first. Then come the tests with few imports in
 * between and few loaded files. Tests that do not import the file come last: they may still start a program
 * that imports it.
 */
export function nearestTests(file: string, tests: readonly string[], { imports, importers }: Graph): readonly string[] {
  const distances = distancesFrom(file, importers)
  const own = `test/${file.replace(/\.[jt]s$/, '.test.ts')}`
  const distanceTo = (test: string): number => {
    if (test === own) return 0
    const steps = distances.get(test) ?? Number.POSITIVE_INFINITY
    return steps + distancesFrom(test, imports).size / filesPerStep
  }
  return tests
    .map((test) => ({ test, distance: distanceTo(test) }))
    .toSorted((left, right) =>
      left.distance === right.distance ? left.test.localeCompare(right.test) : left.distance - right.distance,
    )
    .map(({ test }) => test)
}

/** Maps each file to the files it imports and to the files that import it. */
export function graphOf(found: readonly Import[]): Graph {
  const [imports, importers] = [new Map<string, string[]>(), new Map<string, string[]>()]
  const add = (lists: Map<string, string[]>, key: string, path: string): void => {
    const known = lists.get(key)
    if (known) known.push(path)
    else lists.set(key, [path])
  }
  for (const { from, target } of found) {
    const path = posix.normalize(target)
    add(imports, from, path)
    add(importers, path, from)
  }
  return { imports, importers }
}
