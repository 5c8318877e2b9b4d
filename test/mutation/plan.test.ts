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
    const files = [file('slow', 300, 2), file('quick', 5, 1), file('other', 1, 0)]
    const distances = new Map([['slow', 1] as const, ['quick', 2] as const, ['other', 1] as const])
    const plan = planOf('7', files, distances)
    expect(filesOf(plan)).to.deep.equal(['quick', 'slow'])
    expect(plan).to.include({ durationMs: 305, hits: 3 })
  })

  it('are the nearest that meet it, however slow, and further ones while they are quick', () => {
    const files = [file('near', 60_000, 1), file('far', 10, 1), file('far and slow', 60_000, 1), file('next', 1, 0)]
    const distances = new Map([
      ['near', 2] as const,
      ['far', 3] as const,
      ['far and slow', 3] as const,
      ['next', 1] as const,
    ])
    expect(filesOf(planOf('7', files, distances))).to.deep.equal(['far', 'near'])
  })

  it('are all of a file that meets it outside its tests', () => {
    const files: File[] = [{ ...file('table', 10, 0), around: { 7: 1 } }]
    expect(planOf('7', files, new Map([['table', 1]])).runs).to.deep.equal([{ file: 'table', titles: null }])
  })

  it('are all near ones if it is met while files are loaded', () => {
    const files = [file('near', 10, 0), file('of another file', 10, 0)]
    expect(filesOf(planOfLoading(files, new Map([['near', 1]])))).to.deep.equal(['near'])
  })
})
