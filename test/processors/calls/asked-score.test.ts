import { expect } from 'chai'
import {
  type AskedScore,
  askedScoreOf,
  deadlineOf,
  isAwaitingPrices,
  isComplete,
  markInstants,
  noAskedScore,
  takeAskedPrice,
} from '../../../processors/calls/asked-score.ts'
import { tooOld } from '../../../schemas/calls/facts.ts'
import { callRules } from '../../../schemas/calls/rules.ts'
import { second, testPool, testToken } from '../../support/builders/build-facts.ts'
import { buildPriceAnswer } from '../../support/builders/build-mentions.ts'

const post = { postedAtMs: second(0), chat: '1', post: 7, chatName: null, poster: '2', tokenCount: 1 }
const anchorSec = 2
const minuteSec = (minutes: number) => anchorSec + 60 * minutes

/** With `px` null, the lookup found no price. With `silent`, no price source answered. */
type Told = Readonly<{ px?: number | null; source?: 'curve' | 'aggregator'; silent?: true; afterSec?: number }>

function take(asked: AskedScore, atSec: number, { px = 1, source = 'curve', silent, afterSec = 1 }: Told): boolean {
  const { data } = buildPriceAnswer(`${testToken}:${second(atSec)}`, silent ? null : px, {
    source,
    ...(silent && { failure: tooOld }),
  })
  const answer = { ...data, answeredAtMs: second(atSec + afterSec) }
  return takeAskedPrice({ asked, post }, { atMs: second(atSec), answer, market: testPool }, callRules)
}

function anchored(told: Told = {}): AskedScore {
  const asked = noAskedScore(callRules)
  take(asked, 0, { px: 10, afterSec: anchorSec, ...told })
  return asked
}

/**
 * Gives a score the answers to its price lookups. The keys of `marks` are minutes after the anchor, the first
 * price. Minutes that are not in `marks` get a price of 10, and those with null get no answer.
 */
function scored(marks: Readonly<Record<number, Told | null>> = {}, told: Told = {}) {
  const asked = anchored(told)
  for (const minutes of callRules.askedMarksMin) {
    const mark = marks[minutes] === undefined ? { px: 10 } : marks[minutes]
    if (mark !== null) take(asked, minuteSec(minutes), { ...(told.source && { source: told.source }), ...mark })
  }
  return askedScoreOf(asked, post, callRules)
}

describe('the anchor of a score on asked prices', () => {
  for (const [name, told, unscored] of [
    ['the answer came 15 s after the post', { afterSec: 15 }, null],
    ['the answer came later', { afterSec: 15.001 }, 'late_anchor'],
    ['whoever was asked says that there is no price', { px: null }, 'no_price'],
    ['nobody answered', { silent: true }, 'unanswered'],
  ] as const)
    it(`is ${unscored === null ? 'there' : `missing, ${unscored},`} if ${name}`, () => {
      const asked = noAskedScore(callRules)
      expect(take(asked, 0, told)).to.equal(unscored === null)
      expect(asked.anchor === null).to.equal(unscored !== null)
      if (unscored !== null) expect(asked.reason).to.equal(unscored)
      expect(isComplete(asked)).to.equal(false)
    })

  it('is missing if the question is not answered at all', () => {
    expect(noAskedScore(callRules)).to.include({ anchor: null, reason: 'unanswered' })
    expect(markInstants(noAskedScore(callRules), callRules)).to.deep.equal([])
  })

  it('is at the instant of the answer, and no answer to another question', () => {
    const asked = noAskedScore(callRules)
    expect(take(asked, 60, {})).to.equal(false)
    expect(asked.anchor).to.equal(null)
    expect(anchored().anchor).to.include({ atMs: second(anchorSec), px: 10, source: 'curve', market: testPool })
  })

  //  post      15 s    answer at 2 s + 60 min
  //   |---------|            waits while its first price may still come
  //     |--------------------|  waits for the prices of the hour after its first price
  it('keeps its place among those that wait while it may come, and for the hour behind it', () => {
    const waits = (asked: AskedScore, atSec: number) =>
      isAwaitingPrices({ ...asked, ...post }, second(atSec), callRules)
    const silent = noAskedScore(callRules)
    take(silent, 0, { silent: true })
    for (const asked of [noAskedScore(callRules), silent])
      expect([-1, 0, 15, 15.001].map((atSec) => waits(asked, atSec))).to.deep.equal([true, true, true, false])
    const hourOver = anchorSec + 3600
    expect([16, hourOver - 0.001, hourOver].map((atSec) => waits(anchored(), atSec))).to.deep.equal([true, true, false])
  })

  it('is asked for further at 1 minute and every fifth after it', () => {
    const minutes = markInstants(anchored(), callRules).map((atMs) => (atMs - second(anchorSec)) / 60_000)
    expect(minutes).to.deep.equal([1, 5, 10, 15, 20, 25, 30, 35, 40, 45, 50, 55, 60])
    expect(deadlineOf(second(anchorSec), callRules)).to.be.above(Math.max(...markInstants(anchored(), callRules)))
  })
})

describe('a score on asked prices', () => {
  it('has the returns of its four marks, and its extremes from all that was told', () => {
    const marks = { 1: { px: 11 }, 5: { px: 12 }, 10: { px: 30 }, 15: { px: 5 }, 20: { px: 4 }, 60: { px: 20 } }
    expect(scored(marks)).to.deep.include({
      ...{ ...post, unscored: null, anchorAtMs: second(anchorSec), anchorPx: 10, isAsked: true, ruggedAtMs: null },
      ...{ ret1: 11 / 10 - 1, ret5: 12 / 10 - 1, ret15: -0.5, ret60: 1, mfe: 2, mae: 4 / 10 - 1, isWin35: true },
    })
  })

  it('has a best of at least 0 and a worst of at most 0', () => {
    expect(scored()).to.include({ ret60: 0, mfe: 0, mae: 0, isWin35: false })
  })

  it('is a win by the first of its prices that passes a limit', () => {
    expect(scored({ 10: { px: 8 }, 20: { px: 20 } }).isWin35).to.equal(false)
    expect(scored({ 10: { px: 13.5 }, 20: { px: 8 } }).isWin35).to.equal(true)
  })

  const onlyDue: readonly (readonly [string, Told | null, string | null])[] = [
    ['is answered a minute later', { px: 9, afterSec: 60 }, null],
    ['is answered later than a minute', { px: 9, afterSec: 60.001 }, 'unanswered'],
    ['is not answered', null, 'unanswered'],
    ['is told that nobody could say', { silent: true }, 'unanswered'],
    ['is told that there is no price', { px: null }, 'no_price'],
    ['is answered in another unit', { px: 9, source: 'aggregator' }, 'unanswered'],
  ]
  for (const [name, told, unscored] of onlyDue) {
    for (const minutes of [1, 5, 15, 60])
      it(`is ${unscored ?? 'scored'} where the mark of ${minutes} minutes ${name}`, () =>
        expect(scored({ [minutes]: told })).to.include({ unscored, isAsked: true }))
    it(`is scored where that of 10 minutes ${name}`, () => {
      expect(scored({ 10: told })).to.include({ unscored: null, mae: unscored === null ? 9 / 10 - 1 : 0 })
    })
  }

  it('has no price if one of the four says so, whoever else is silent', () => {
    expect(scored({ 1: null, 60: { px: null } }).unscored).to.equal('no_price')
  })

  it('is of one unit: an anchor in USD needs marks in USD', () => {
    expect(scored({}, { source: 'aggregator' }).unscored).to.equal(null)
    expect(scored({ 60: { source: 'curve' } }, { source: 'aggregator' }).unscored).to.equal('unanswered')
  })

  it('is complete once each question is answered, by whatever answer, and takes none twice', () => {
    const asked = anchored()
    for (const minutes of callRules.askedMarksMin) {
      expect(isComplete(asked)).to.equal(false)
      expect(take(asked, minuteSec(minutes), { silent: true })).to.equal(true)
      expect(take(asked, minuteSec(minutes), { px: 3 })).to.equal(false)
    }
    expect(isComplete(asked)).to.equal(true)
    expect(take(asked, minuteSec(2), {}), 'an instant that is no mark').to.equal(false)
    expect(askedScoreOf(asked, post, callRules).unscored).to.equal('unanswered')
  })
})
