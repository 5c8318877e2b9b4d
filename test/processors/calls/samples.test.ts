import { expect } from 'chai'
import {
  failed,
  isDead as isDeadBy,
  isMark as isMarkBy,
  nextMark as nextMarkBy,
  nextOfDead as nextOfDeadBy,
  type Samples,
  shownOf as shownBy,
  unknown,
  watchRulesOf,
  worthless,
} from '../../../processors/calls/samples.ts'
import { callRules } from '../../../schemas/calls/rules.ts'

const { sampling } = watchRulesOf(callRules)
const isDead = (samples: Samples) => isDeadBy(samples, sampling)
const isMark = (count: number) => isMarkBy(count, sampling)
const nextMark = (count: number) => nextMarkBy(count, sampling)
const nextOfDead = (count: number) => nextOfDeadBy(count, sampling)
const shownOf = (samples: Samples, anchorPx: number) => shownBy(samples, anchorPx, sampling)

const times = (count: number, sample: number): readonly number[] => Array.from({ length: count }, () => sample)
const failures = (count: number) => times(count, failed)
const unanswered = (count: number) => times(count, unknown)
const hours = (count: number, px = 1) => times(count * 6, px)

describe('the samples of a call', () => {
  it('give the return at each hour that is reached, and null before it', () => {
    const prices = hours(4, 2)
    expect(shownOf(prices, 1)).to.include({ ret1h: 1, ret4h: 1, ret12h: null, ret24h: null, ret48h: null })
    expect(shownOf(prices.slice(1), 1)).to.include({ ret1h: 1, ret4h: null })
  })

  it('give no return where the read of that hour failed or is not known', () => {
    for (const missing of [failed, unknown])
      expect(shownOf([1, 1, 1, 1, 1, missing, 3], 1)).to.include({ ret1h: null, lastRet: 2, lastCount: 7 })
  })

  //  price  2    4    1    3    8    5
  //              dip ─┘         └─ high
  it('give the first high, and the lowest return up to it', () => {
    expect(shownOf([2, 4, 1, 3, 8, 5, 8, 0.5], 2)).to.include({ maxRet: 3, maxCount: 5, dipBeforeMax: -0.5 })
    expect(shownOf([1, 0.5], 2)).to.include({ maxRet: -0.5, maxCount: 1, dipBeforeMax: -0.5 })
  })

  it('are all null before the first price', () => {
    const nothing = { ret1h: null, lastRet: null, lastCount: null, maxRet: null, maxCount: null, dipBeforeMax: null }
    expect(shownOf([], 1)).to.include(nothing)
    expect(shownOf([unknown, failed], 1)).to.include(nothing)
  })

  it('have five marks, of which the last one stays', () => {
    expect([0, 5, 6, 24, 72, 144, 287, 288].map(nextMark)).to.deep.equal([6, 6, 24, 72, 144, 288, 288, 288])
    expect([1, 5, 6, 7, 24, 72, 144, 288].filter(isMark)).to.deep.equal([6, 24, 72, 144, 288])
  })

  it('of a dead token stand at whole hours after the call, up to the end', () => {
    expect([18, 19, 23, 24, 281, 282, 287, 288].map(nextOfDead)).to.deep.equal([24, 24, 24, 30, 282, 288, 288, 288])
  })
})

describe('a market that was pulled', () => {
  it('is worth nothing from then on; the high and the last price are those before it', () => {
    const samples = [...hours(1, 3), ...times(18, worthless)]
    expect(shownOf(samples, 1)).to.include({
      ...{ ret1h: 2, ret4h: -1, ret12h: null, lastRet: 2, lastCount: 6, isDead: false },
      ...{ maxRet: 2, maxCount: 1, dipBeforeMax: 2 },
    })
  })

  it('before any other sample has a return of -1, and no high', () => {
    expect(shownOf(times(6, worthless), 1)).to.include({ ret1h: -1, lastRet: null, maxRet: null, dipBeforeMax: null })
  })

  it('does not change whether the token is dead', () => {
    const [dead, dying] = [
      [...failures(18), worthless],
      [...failures(17), worthless],
    ]
    expect([dead, dying].map(isDead)).to.deep.equal([true, false])
    expect([dead, dying].map((samples) => shownOf(samples, 1).isDead)).to.deep.equal([true, false])
  })
})

describe('a token', () => {
  const lives: readonly (readonly [string, readonly number[], boolean])[] = [
    ['17 failed reads', [1, ...failures(17)], false],
    ['18 failed reads', [1, ...failures(18)], true],
    ['18 failed reads without any price before', failures(18), true],
    ['18 failed reads and an open question', [...failures(18), unknown], true],
    ['20 failed reads', failures(20), true],
    ['18 failed reads with one unanswered among them', [...failures(9), unknown, ...failures(9)], true],
    ['18 failed reads with a day unanswered among them', [...failures(17), ...unanswered(144), failed], true],
    ['17 failed reads with a day unanswered behind them', [...failures(17), ...unanswered(144)], false],
    ['a day without an answer', unanswered(144), false],
    ['18 failed reads with a price behind them', [...failures(18), 1], false],
    ['18 failed reads with a price among them', [...failures(9), 1, ...failures(9)], false],
    ['18 failed reads, a price, and 17 failed reads', [...failures(18), 1, ...failures(17)], false],
    ['18 failed reads, a price, and 18 failed reads', [...failures(18), 1, ...failures(18)], true],
    ['nothing', [], false],
  ]
  for (const [what, samples, expected] of lives)
    it(`is ${expected ? 'dead' : 'alive'} after ${what}`, () => {
      expect(isDead(samples)).to.equal(expected)
      expect(shownOf(samples, 1).isDead).to.equal(expected)
    })
})

describe('the returns of a token that dies', () => {
  it('are -1 once they are reached while it is dead, whatever is read then', () => {
    const dead = [...hours(4, 3), ...failures(18)]
    expect(shownOf(dead, 1)).to.include({ ret4h: 2, lastRet: -1, lastCount: 24, maxRet: 2, isDead: true })
    for (const read of [failed, unknown])
      expect(shownOf([...dead, ...unanswered(71 - dead.length), read], 1)).to.include({ ret4h: 2, ret12h: -1 })
  })

  //  read    5 prices    18 failed reads, beginning at 1 h: the value for 1 h is the first failed read
  it('are -1 at a failed read of those that made it dead', () => {
    const dying = [...times(5, 2), ...failures(17)]
    expect(shownOf(dying, 1)).to.include({ ret1h: null, lastRet: 1, isDead: false })
    expect(shownOf([...dying, failed], 1)).to.include({ ret1h: -1, lastRet: -1, isDead: true })
  })

  it('are null where nobody answered before it was dead, or where the reads before it failed by themselves', () => {
    expect(shownOf([...times(5, 2), unknown, ...failures(18)], 1)).to.include({ ret1h: null, isDead: true })
    expect(shownOf([...failures(4), unknown, unknown, ...failures(14)], 1)).to.include({ ret1h: null, isDead: true })
    expect(shownOf([...times(5, 2), failed, 2, ...failures(18)], 1)).to.include({ ret1h: null, isDead: true })
  })

  it('are those of prices again once one ends it, and what was -1 stands', () => {
    //  read    5 prices   18 failed reads, beginning at 1 h   prices from 4 h 10 min on
    const revived = [...times(5, 2), ...failures(18), unknown, ...times(48, 4)]
    expect(shownOf(revived, 1)).to.include({ ret1h: -1, ret4h: -1, ret12h: 3, lastRet: 3, maxRet: 3, isDead: false })
  })

  it('are -1 where the price that ends it is that of their own instant: it was reached while the token was dead', () => {
    const revived = [...times(5, 2), ...failures(18), 4, 5]
    expect(revived.length).to.equal(25)
    expect(shownOf(revived, 1)).to.include({ ret1h: -1, ret4h: -1, lastRet: 4, maxRet: 4, isDead: false })
  })

  it('are not -1 where a price came before the 18th failed read', () => {
    expect(shownOf([...times(5, 2), ...failures(17), 3, 3], 1)).to.include({ ret1h: null, ret4h: 2, isDead: false })
  })

  it('are -1 of each death', () => {
    const twice = [...times(5, 2), ...failures(18), 4, ...times(42, 4), ...times(5, 3), ...failures(18)]
    expect(shownOf(twice, 1)).to.include({ ret1h: -1, ret4h: -1, ret12h: -1, isDead: true })
  })
})
