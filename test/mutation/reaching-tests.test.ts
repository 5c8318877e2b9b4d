import { expect } from 'chai'
import { linesRun } from './reach.ts'
import { reachingTests } from './reaching-tests.ts'

describe('the tests that run a line', () => {
  const nearest = ['near', 'away', 'c', 'd', 'e', 'f']
  const reach = [...nearest, 'quick'].map((test, at) => ({
    test,
    ms: test === 'quick' ? 0 : 10 - at,
    lines: test === 'away' ? {} : { 'a.ts': [3] },
  }))

  it('are four of the nearest, then the quickest first', () =>
    expect(reachingTests(nearest, reach, { file: 'a.ts', line: 3 })).to.deep.equal([
      ...['near', 'c', 'd', 'e'],
      ...['quick', 'f'],
    ]))

  it('are all of them if none is known to run it', () => {
    expect(reachingTests(nearest, reach, { file: 'a.ts', line: 4 })).to.deep.equal(nearest)
    expect(reachingTests(nearest, reach, { file: 'b.ts', line: 3 })).to.deep.equal(nearest)
  })
})

describe('the lines that ran', () => {
  /** Ten characters a line. */
  const lineAt = (offset: number): number => Math.floor(offset / 10) + 1
  const linesOf = (...ranges: readonly (readonly [from: number, to: number, count: number])[]): readonly number[] => {
    const blocks = ranges.map(([startOffset, endOffset, count]) => ({ startOffset, endOffset, count }))
    return [...linesRun([{ functionName: '', isBlockCoverage: true, ranges: blocks }], lineAt)]
  }

  it('leave out a block without a count, but not the lines that it shares with others', () =>
    expect(linesOf([0, 70, 1], [15, 55, 0])).to.have.members([1, 2, 6, 7]))

  it('contain a block that ran inside of one that did not', () =>
    expect(linesOf([0, 70, 1], [5, 65, 0], [30, 40, 2])).to.have.members([1, 4, 7]))
})
