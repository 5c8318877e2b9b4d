import { expect } from 'chai'
import { failingTests, makeChanges } from './whole-run.ts'

const text = 'const a = [1, 2]\nconst b = 3\n'
const change = (original: string, replacement: string) => {
  const start = text.indexOf(original)
  return { file: 'numbers.ts', line: 1, start, end: start + original.length, original, replacement }
}

describe('a run of all tests with all changes that survived', () => {
  it('makes several changes in one file', () => {
    expect(makeChanges(text, [change('1', '10'), change('3', '30')])).to.equal('const a = [10, 2]\nconst b = 30\n')
  })

  it('leaves out one of two changes that overlap', () => {
    const changed = makeChanges(text, [change('[1, 2]', '[]'), change('2', '3'), change('3', '4')])
    expect(changed).to.equal('const a = [1, 3]\nconst b = 4\n')
  })

  it('leaves out a change with which the text would not parse', () => {
    expect(makeChanges(text, [change('[1, 2]', '['), change('3', '4')])).to.equal('const a = [1, 2]\nconst b = 4\n')
  })

  it('finds the tests that fail, each one time, with several runners', async () => {
    const tests = Array.from({ length: 40 }, (_, at) => `t${at}`)
    const ran: number[] = [0, 0]
    const runner = (index: 0 | 1) => async (some: readonly string[]) => {
      ran[index] = (ran[index] ?? 0) + 1
      await Promise.resolve()
      return !some.some((test) => test === 't3' || test === 't39')
    }
    expect((await failingTests(tests, [runner(0), runner(1)])).toSorted()).to.deep.equal(['t3', 't39'])
    expect(ran.every((count) => count > 0)).to.equal(true)
    // First come three groups of 16, 16 and 8 tests. Then each test of the two failing groups runs alone.
    expect((ran[0] ?? 0) + (ran[1] ?? 0)).to.equal(3 + 16 + 8)
  })
})
