import { expect } from 'chai'
import type { Covered } from './messages.ts'
import { planOf, planOfLoading } from './plan.ts'

type File = Covered['files'][number]

/** A test file of one test, which meets mutant 7 so often. */
const file = (name: string, durationMs: number, hits: number): File => ({
  file: name,
  durationMs,
  failures: [],
  around: {},
  tests: [{ title: `${name} works`, durationMs, hits: hits > 0 ? { 7: hits } : {} }],
})

const filesOf = (plan: ReturnType<typeof planOf>): readonly string[] => plan.runs.map((run) => run.file)

describe('the tests that are tried on a mutant', () => {
  it('are those that meet it, the quickest first', () => {
    const plan = planOf('7', [file('slow', 300, 2), file('quick', 5, 1), file('other', 1, 0)])
    expect(filesOf(plan)).to.deep.equal(['quick', 'slow'])
    expect(plan).to.include({ durationMs: 305, hits: 3 })
  })

  it('are at most ten seconds of them, but one at least', () => {
    expect(filesOf(planOf('7', [file('slow', 9_999, 1), file('quick', 2, 1)]))).to.deep.equal(['quick'])
    expect(filesOf(planOf('7', [file('slow', 60_000, 1)]))).to.deep.equal(['slow'])
  })

  it('are all of a file that meets it outside its tests', () => {
    const files: File[] = [{ ...file('table', 10, 0), around: { 7: 1 } }]
    expect(planOf('7', files).runs).to.deep.equal([{ file: 'table', titles: null }])
  })

  it('are all near ones if it is met while files are loaded', () => {
    expect(filesOf(planOfLoading([file('one', 10, 0), file('other', 10, 0)]))).to.deep.equal(['one', 'other'])
  })
})
