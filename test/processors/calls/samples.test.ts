import { expect } from 'chai'
import { deadAt, failed, nextMark, shownOf, unknown } from '../../../processors/calls/samples.ts'

const failures = (count: number) => Array.from({ length: count }, () => failed)
const hours = (count: number, px = 1) => Array.from({ length: count * 6 }, () => px)

describe('the samples of a call', () => {
  it('give the return at each hour that is reached, and null before it', () => {
    const prices = hours(4, 2)
    expect(shownOf(prices, 1, null)).to.include({ ret1h: 1, ret4h: 1, ret12h: null, ret24h: null, ret48h: null })
    expect(shownOf(prices.slice(1), 1, null)).to.include({ ret1h: 1, ret4h: null })
  })

  it('give no return where the read of that hour failed or is not known', () => {
    for (const missing of [failed, unknown])
      expect(shownOf([1, 1, 1, 1, 1, missing, 3], 1, null)).to.include({ ret1h: null, lastRet: 2, lastCount: 7 })
  })

  //  price  2    4    1    3    8    5
  //              dip ─┘         └─ high
  it('give the first high, and the lowest return up to it', () => {
    expect(shownOf([2, 4, 1, 3, 8, 5, 8, 0.5], 2, null)).to.include({ maxRet: 3, maxCount: 5, dipBeforeMax: -0.5 })
    expect(shownOf([1, 0.5], 2, null)).to.include({ maxRet: -0.5, maxCount: 1, dipBeforeMax: -0.5 })
  })

  it('are all null before the first price', () => {
    const nothing = { ret1h: null, lastRet: null, lastCount: null, maxRet: null, maxCount: null, dipBeforeMax: null }
    expect(shownOf([], 1, null)).to.include(nothing)
    expect(shownOf([unknown, failed], 1, null)).to.include(nothing)
  })

  const lives: readonly (readonly [string, readonly number[], number | null])[] = [
    ['17 failures', [1, ...failures(17)], null],
    ['18 failures', [1, ...failures(18)], 19],
    ['18 failures and an open question', [...failures(18), unknown], 18],
    ['20 failures', failures(20), 18],
    ['18 failures with one unknown among them', [...failures(9), unknown, ...failures(9)], null],
    ['18 failures with a price behind them', [...failures(18), 1], null],
    ['18 failures with a price among them', [...failures(9), 1, ...failures(9)], null],
    ['nothing', [], null],
  ]
  for (const [what, samples, expected] of lives)
    it(`${expected === null ? 'let it live' : 'find it dead'} after ${what}`, () => {
      expect(deadAt(samples)).to.equal(expected)
    })

  it('say -1 for what is reached after death, and keep what was before', () => {
    const samples = [...hours(1, 3), ...failures(24)]
    expect(shownOf(samples, 1, 24)).to.include({
      ret1h: 2,
      ret4h: null,
      ret12h: null,
      lastRet: -1,
      lastCount: 6,
      maxRet: 2,
    })
    const later = [...samples, ...failures(72 - samples.length)]
    expect(shownOf(later, 1, 24)).to.include({ ret4h: null, ret12h: -1, ret24h: null })
  })

  it('have five marks, of which the last one stays', () => {
    expect([0, 5, 6, 24, 72, 144, 287, 288].map(nextMark)).to.deep.equal([6, 6, 24, 72, 144, 288, 288, 288])
  })
})
