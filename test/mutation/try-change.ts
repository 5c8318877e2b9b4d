/** Finds the first test that fails with a change and passes without it. */

export type Runs = Readonly<{
  /** Whether all of these tests pass with the change. */
  passWith: (tests: readonly string[]) => Promise<boolean>
  /** Whether the test passes without it. */
  passesWithout: (test: string) => Promise<boolean>
  /** Whether no more tests are to be started. */
  isOver: () => boolean
}>

/** `triedCount`: how many of the tests were run. `leftOut`: those of them that fail without the change too, or take too long. */
export type Verdict = Readonly<{ killedBy: string | null; triedCount: number; leftOut: readonly string[] }>

/** The nearest few run one by one, because one of them is likely to fail; later ones together, because they start faster so. */
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

/** At least one of the group fails with the change. */
async function tryEach(group: readonly string[], { passWith, passesWithout, isOver }: Runs): Promise<Verdict> {
  const leftOut: string[] = []
  for (const [index, test] of group.entries()) {
    if (isOver()) return { killedBy: null, triedCount: index, leftOut }
    if (group.length > 1 && (await passWith([test]))) continue
    if (await passesWithout(test)) return { killedBy: test, triedCount: index + 1, leftOut }
    leftOut.push(test)
  }
  return { killedBy: null, triedCount: group.length, leftOut }
}
