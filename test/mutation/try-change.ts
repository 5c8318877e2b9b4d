/** Finds the first test that fails with a change and passes without it. */

export type Runs = Readonly<{
  /** Whether all of these tests pass with the change. */
  passWith: (tests: readonly string[]) => Promise<boolean>
  /** Whether the test passes without it. */
  passesWithout: (test: string) => Promise<boolean>
}>

/** `leftOut`: tests that fail without the change too, or take too long. */
export type Verdict = Readonly<{ killedBy: string | null; leftOut: readonly string[] }>

/** The nearest few run one by one, because one of them is likely to fail; later ones together, because they start faster so. */
const oneByOne = 4
const together = 16

function* groupsOf(tests: readonly string[]): Iterable<readonly string[]> {
  for (const test of tests.slice(0, oneByOne)) yield [test]
  for (let at = oneByOne; at < tests.length; at += together) yield tests.slice(at, at + together)
}

export async function tryChange(tests: readonly string[], { passWith, passesWithout }: Runs): Promise<Verdict> {
  const leftOut: string[] = []
  for (const group of groupsOf(tests)) {
    if (await passWith(group)) continue
    for (const test of group) {
      if (group.length > 1 && (await passWith([test]))) continue
      if (await passesWithout(test)) return { killedBy: test, leftOut }
      leftOut.push(test)
    }
  }
  return { killedBy: null, leftOut }
}
