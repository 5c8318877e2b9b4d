/**
 * Runs all unit tests one time with all code changes that survived so far. A distant test may notice a change
 * that the nearest tests miss. For example, it may read the changed file as text.
 */
import type { Change } from './changes.ts'
import { makeChange } from './changes.ts'

/** Returns true if all of these tests pass. */
type Passes = (tests: readonly string[]) => Promise<boolean>

/** One start of Node runs this many test files. */
const together = 16

/**
 * Makes several changes in the text of one file. A change inside a longer change is left out, and so is a
 * change with which the text would not parse.
 */
export function makeChanges(text: string, changes: readonly Change[]): string {
  let [changed, end] = [text, text.length]
  for (const change of changes.toSorted((a, b) => b.start - a.start)) {
    const next = change.end <= end ? makeChange(changed, change) : null
    if (next !== null) [changed, end] = [next, change.start]
  }
  return changed
}

/**
 * Returns the tests that fail. Each of `runners` passes tests in its own copy of the checkout, at the same time
 * as the others.
 */
export async function failingTests(tests: readonly string[], runners: readonly Passes[]): Promise<readonly string[]> {
  const groups = Array.from({ length: Math.ceil(tests.length / together) }, (_, at) =>
    tests.slice(at * together, (at + 1) * together),
  ).values()
  const failing: string[] = []
  const run = async (passes: Passes): Promise<void> => {
    for (const group of groups) {
      if (await passes(group)) continue
      for (const test of group) if (!(await passes([test]))) failing.push(test)
    }
  }
  await Promise.all(runners.map(run))
  return failing
}
