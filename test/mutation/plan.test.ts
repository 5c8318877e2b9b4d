import { expect } from 'chai'
import type { Covered } from './messages.ts'
import { type Choice, isMetOutsideTests, planOf, planOfLoading } from './plan.ts'

type File = Covered['files'][number]

/** A test file of one test, which meets mutant 7 so often. */
const file = (name: string, durationMs: number, hits: number): File => ({
  file: name,
  durationMs,
  failures: [],
  around: {},
  tests: [{ title: `${name} works`, durationMs, hits: hits > 0 ? { 7: hits } : {} }],
})

const choice: Choice = { triedMs: 4_000, killsOf: () => 0 }

const filesOf = (plan: ReturnType<typeof planOf>): readonly string[] => plan.runs.map((run) => run.file)

describe('the tests that are tried on a mutant', () => {
  it('are those that meet it, the quickest first', () => {
    const plan = planOf('7', [file('slow', 300, 2), file('quick', 5, 1), file('other', 1, 0)], choice)
    expect(filesOf(plan)).to.deep.equal(['quick', 'slow'])
    expect(plan).to.include({ durationMs: 305, hits: 3 })
  })

  it('are at most so many seconds of them, but one at least', () => {
    expect(filesOf(planOf('7', [file('slow', 3_999, 1), file('quick', 2, 1)], choice))).to.deep.equal(['quick'])
    expect(filesOf(planOf('7', [file('slow', 60_000, 1)], choice))).to.deep.equal(['slow'])
  })

  it('begin with those that killed other mutants of the file', () => {
    const killsOf = (_: string, title: string | null): number => (title === 'slow works' ? 9 : 0)
    const plan = planOf('7', [file('slow', 3_900, 1), file('quick', 400, 1), file('first', 10, 1)], {
      ...choice,
      killsOf,
    })
    expect(filesOf(plan)).to.deep.equal(['first', 'slow'])
  })

  it('fail when they wait for what a mutant took away', () => {
    expect(
      planOf('7', [file('slow', 300, 1), file('quick', 5, 1)], choice).runs.map((run) => run.limitMs),
    ).to.deep.equal([10_050, 13_000])
  })

  it('are all of a file that meets it outside its tests', () => {
    const files: File[] = [{ ...file('table', 10, 0), around: { 7: 1 } }]
    expect(planOf('7', files, choice).runs).to.deep.equal([{ file: 'table', titles: null, limitMs: 10_100 }])
  })

  it('are those that meet others of the file before whole files, where it is met while files are loaded', () => {
    const slow = { ...file('slow', 500, 1), durationMs: 9_000 }
    const plan = planOfLoading(['7'], [file('other', 600, 0), slow], choice)
    expect(plan.runs.map((run) => [run.file, run.titles])).to.deep.equal([
      ['slow', ['slow works']],
      ['other', null],
    ])
    const quick = { ...file('quick', 50, 1), durationMs: 10 }
    expect(planOfLoading(['7'], [quick], choice).runs.map((run) => run.titles)).to.deep.equal([null])
  })

  it('may be any near one if it is met outside tests: while files are loaded, or what a test file imports', () => {
    const around = { ...file('first', 10, 0), around: { 8: 1 } }
    const covered = { loading: { 9: 1 }, files: [around, file('second', 10, 1)] }
    expect(['7', '8', '9'].map((number) => isMetOutsideTests(number, covered))).to.deep.equal([false, true, true])
  })

  it('are all near ones if it is met while files are loaded', () => {
    expect(filesOf(planOfLoading([], [file('one', 10, 0), file('other', 10, 0)], choice))).to.deep.equal([
      'one',
      'other',
    ])
  })
})
