/** Which unit tests stand near a file: those that import it, directly or through others. */
import { posix } from 'node:path'
import type { Import } from '../tidy/read-imports.ts'

/** Tests of the repository itself, and tests whose work is done by other processes, where no mutant is seen. */
const isLeftOut = (test: string): boolean =>
  /^test\/[^/]*$|^test\/(bench|proofs|infra|mutation)\/|\/projections-http\.test\.ts$/.test(test)

/** The tests of a program stand in its folder; those of its contracts and those of no program, beside. */
function isOfAnotherProgram(test: string, file: string): boolean {
  const [, program] = /^test\/(?:contracts\/)?(ingest|processors|projections|api)\b/.exec(test) ?? []
  return program !== undefined && !file.startsWith(`${program}/`)
}

const isUnitTest = (file: string): boolean => file.endsWith('.test.ts') && !file.endsWith('.int.test.ts')

/** The unit tests of the same program, or of none, that reach the file. */
export function testsNear(file: string, importersOf: ReadonlyMap<string, readonly string[]>): ReadonlySet<string> {
  const reached = new Set([file])
  for (const path of reached) for (const importer of importersOf.get(path) ?? []) reached.add(importer)
  const isNear = (path: string): boolean => isUnitTest(path) && !isLeftOut(path) && !isOfAnotherProgram(path, file)
  return new Set([...reached].filter(isNear))
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
