/** All unit tests, the nearest to a file first. */
import { posix } from 'node:path'
import type { Import } from '../tidy/read-imports.ts'

/** Tests of the repository itself: they read each file, and would notice the format of a change. */
const isOfRepository = (test: string): boolean => /^test\/([^/]*$|mutation\/|tidy\/)/.test(test)

export const isUnitTest = (file: string): boolean =>
  /^test\/.*\.test\.ts$/.test(file) && !file.endsWith('.int.test.ts') && !isOfRepository(file)

export type Graph = Readonly<{
  imports: ReadonlyMap<string, readonly string[]>
  importers: ReadonlyMap<string, readonly string[]>
}>

/** How many steps each file is away from this one. */
function distancesFrom(file: string, next: Graph['imports']): ReadonlyMap<string, number> {
  const distances = new Map([[file, 0]])
  for (const [path, distance] of distances)
    for (const other of next.get(path) ?? []) if (!distances.has(other)) distances.set(other, distance + 1)
  return distances
}

/** A test that loads this many more files is as far away as one that reaches the file through one more: it is slow and says less. */
const filesPerStep = 100

/**
 * The test of the file first, then those that reach it through few imports and load few files, last those that do not reach it
 * by imports: they may start a program that does.
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

/** What each file imports, and by which files it is imported. */
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
