/** Tries a change of the code: finds the first test that fails with the change and passes without it. */

export type Runs = Readonly<{
  /** True if all of these tests pass with the change. */
  passWith: (tests: readonly string[]) => Promise<boolean>
  /** True if the test passes without the change. */
  passesWithout: (test: string) => Promise<boolean>
  /** True if no more tests may start. */
  isOver: () => boolean
}>

/**
 * `triedCount` is the number of tests that were run. `leftOut` has the tests that fail without the change
 * too, or that time out.
 */
export type Verdict = Readonly<{ killedBy: string | null; triedCount: number; leftOut: readonly string[] }>

/**
 * The nearest tests run one by one, because one of them is likely to fail. Later tests run in groups, because
 * this saves time at the start.
 */
const oneByOne = 4
const together = 16

function* groupsOf(tests: readonly string[]): Iterable<readonly string[]> {
  for (const test of tests.slice(0, oneByOne)) yield [test]
  for (let at = oneByOne; at < tests.length; at += together) yield tests.slice(at, at + together)
}

export async function tryChange(tests: readonly string[], runs: Runs): Promise<Verdict> {
  const leftOut: string[] = []
  let triedCount = 0
  for (const group of groupsOf(tests)) {
    if (runs.isOver()) break
    const isPassed = await runs.passWith(group)
    const verdict = isPassed ? { killedBy: null, triedCount: group.length, leftOut: [] } : await tryEach(group, runs)
    triedCount += verdict.triedCount
    leftOut.push(...verdict.leftOut)
    if (verdict.killedBy !== null) return { ...verdict, triedCount, leftOut }
  }
  return { killedBy: null, triedCount, leftOut }
}

/** Finds the test that fails with the change. The group must have at least one such test. */
async function tryEach(group: readonly string[], { passWith, passesWithout, isOver }: Runs): Promise<Verdict> {
  const leftOut: string[] = []
  for (const [index, test] of group.entries()) {
    // If the group has only one test, its failure counts even when the time is over. The test may have used
    // up the time because it hangs.
    if (group.length > 1 && isOver()) return { killedBy: null, triedCount: index, leftOut }
    if (group.length > 1 && (await passWith([test]))) continue
    if (await passesWithout(test)) return { killedBy: test, triedCount: index + 1, leftOut }
    leftOut.push(test)
  }
  return { killedBy: null, triedCount: group.length, leftOut }
}
