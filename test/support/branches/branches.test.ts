import { type Profiler, Session } from 'node:inspector'
import { runInThisContext } from 'node:vm'
import { expect } from 'chai'
import { branchesOf } from './branches.ts'
import { checkTaken } from './expect-all-taken.ts'
import { measureBranches } from './measure-branches.ts'

const text = `for (const value of [1, 2, 3, null]) {
  if (value === null) value ?? 'none'
  else if (value > 1) value > 2 ? 'three' : 'two'
  switch (value) { case 1: break; case 4: never(); break }
  value && value > 2
  try { value.toFixed() } catch { value === null || never() }
}
function never() { return 1 > 0 ? 'yes' : 'no' }`

/**
 * Runs the program text one time. Returns the kind and the count of each branch as `what count`, in the order
 * of the text.
 */
function countsOf(): readonly string[] {
  const session = new Session()
  session.connect()
  session.post('Profiler.enable')
  session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true })
  runInThisContext(text, { filename: 'counted.js' })
  let functions: readonly Profiler.FunctionCoverage[] = []
  session.post('Profiler.takePreciseCoverage', (_, { result }) => {
    functions = result.find(({ url }) => url === 'counted.js')?.functions ?? []
  })
  session.disconnect()
  return [...branchesOf(text, functions)]
    .sort((one, other) => one.at - other.at)
    .map(({ what, count }) => `${what} ${count}`)
}

describe('branches', () => {
  it('have the counts of one run, and a branch that was never taken hides those inside of it', () =>
    expect(countsOf()).to.have.members([
      ...['loop 4', 'if 1', 'else 3', 'right of ?? 1', 'left of ?? alone 0'],
      ...['if 2', 'no if 1', '? 1', ': 1', 'case 1', 'case 0'],
      ...['right of && 3', 'left of && alone 1', 'catch 1', 'right of || 0', 'left of || alone 1', 'function 0'],
    ]))

  it('are those of the sources, and the ones that the chosen tests never take are found', async () => {
    const branches = await measureBranches({
      files: ['processors/chain-a/bursts/window.ts'],
      tests: ['test/processors/chain-a/bursts/window.test.ts'],
      named: /keeps no more than it needs/,
    })
    const missed = branches.filter(({ count }) => count === 0).map(({ what, source }) => `${what}: ${source}`)
    expect(missed).to.include('else: } else {')
    expect(missed).to.include(
      'function: export function buysOf(window: SwapWindow): Readonly<{ sizesWei: Wei[]; txHashes: TxHash[] }> {',
    )
  })

  it('that are never taken are wrong, but for those that no input can take', () => {
    const branch = (source: string, count: number) => ({ file: 'rule.ts', line: 1, what: 'if', source, count })
    const branches = [branch('taken', 1), branch('missed', 0)]
    expect(() => checkTaken(branches, [])).to.throw('rule.ts:1 [if] taken 0 times: missed')
    expect(() => checkTaken(branches, ['missed'])).not.to.throw()
    expect(() => checkTaken(branches, ['missed', 'taken'])).to.throw('these lines have no branch that was never taken')
  })
})
