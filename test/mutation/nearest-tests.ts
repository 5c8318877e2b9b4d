/** Which unit tests stand near a file: those that import it, by the fewest imports between them. */
import { posix } from 'node:path'
import type { Import } from '../tidy/read-imports.ts'

/** Imports from a test to the file, without those between files of the tests; 1: the test imports it. */
export type Distances = ReadonlyMap<string, number>

/** Tests of the repository itself, and tests whose work is done by other processes, where no mutant is seen. */
const isLeftOut = (test: string): boolean =>
  /^test\/[^/]*$|^test\/(bench|proofs|infra|mutation)\/|\/projections-http\.test\.ts$/.test(test)

/** The tests of a program stand in its folder; those of its contracts and those of no program, beside. */
function isOfAnotherProgram(test: string, file: string): boolean {
  const [, program] = /^test\/(?:contracts\/)?(ingest|processors|projections|api)\b/.exec(test) ?? []
  return program !== undefined && !file.startsWith(`${program}/`)
}

const isUnitTest = (file: string): boolean => file.endsWith('.test.ts') && !file.endsWith('.int.test.ts')

/** The distance of every test of the same program, or of none, that reaches the file. */
export function distancesTo(file: string, importersOf: ReadonlyMap<string, readonly string[]>): Distances {
  const distances = new Map<string, number>()
  let reached = [file]
  for (let distance = 0; reached.length > 0; distance++) {
    const further: string[] = []
    for (const path of reached) {
      if (distances.has(path)) continue
      distances.set(path, distance)
      const importers = importersOf.get(path) ?? []
      // What a test imports of the tests belongs to it.
      if (path.startsWith('test/')) reached.push(...importers)
      else further.push(...importers)
    }
    reached = further
  }
  const isNear = (path: string): boolean => isUnitTest(path) && !isLeftOut(path) && !isOfAnotherProgram(path, file)
  return new Map([...distances].filter(([path]) => isNear(path)))
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
