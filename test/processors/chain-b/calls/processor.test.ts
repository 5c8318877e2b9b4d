import { expect } from 'chai'
import { calls } from '../../../../processors/chain-b/calls/processor.ts'
import { markets } from '../../../../processors/chain-b/markets/processor.ts'
import { mints } from '../../../../processors/chain-b/mints/processor.ts'
import { createTestDriver } from '../../../../processors/runtime/test-driver.ts'
import { chainB } from '../../../../processors/stages.ts'
import type { ChainBDerived } from '../../../../schemas/chain-b/derived.ts'
import type { ChainBFact } from '../../../../schemas/chain-b/facts.ts'
import { graduatedLifeMs } from '../../../../schemas/chain-b/mint-life.ts'
import { second } from '../../../support/builders/build-facts.ts'
import { buildMention, buildPriceAnswer } from '../../../support/builders/build-mentions.ts'
import {
  buildCurveCompleted,
  buildCurveLaunched,
  buildCurveMigrated,
  buildCurveTraded,
  buildPoolTraded,
  given,
  lamports,
  testCurve,
  testMint,
  testPool,
} from '../../../support/chain-b/build-facts.ts'

const hour = 3600
const launched = buildCurveLaunched({ blockAtMs: second(0) })
const tradeAt = (atSec: number, fill: number) => buildCurveTraded({ blockAtMs: second(atSec), fill })
const migration = [
  buildCurveCompleted({ blockAtMs: second(100) }),
  buildCurveMigrated({ blockAtMs: second(110) }),
  buildPoolTraded({ blockAtMs: second(120), poolQuoteRaw: lamports(84.990359301 * 2) }),
]

const pxOf = ({ data }: ReturnType<typeof tradeAt>) => Number(data.virtualQuoteRaw) / 1e9 / Number(data.virtualTokenRaw)
const poolPx = 84.990359301 / 206_900_000_000_000

function scoreOf(facts: readonly ChainBFact[], postedSec: number) {
  const post = buildMention({ postedAtMs: second(postedSec) })
  const run = given([mints, markets, calls], facts)
    .when(post)
    .wokenAt(second(postedSec + 2 * hour))
  return run.records.flatMap((record: ChainBDerived) => (record.type === 'CallScored' ? [record.data] : []))[0]
}

describe('a call on chain B', () => {
  it('is scored on its curve', () => {
    const [before, after] = [tradeAt(5, 0.3), tradeAt(600, 0.5)]
    const score = scoreOf([launched, before, after], 10)
    expect(score).to.include({ market: testCurve, anchorPx: pxOf(before), ret5: 0 })
    expect(score?.ret60).to.equal(pxOf(after) / pxOf(before) - 1)
  })

  it('goes on in the pool of a curve that migrates', () => {
    const before = tradeAt(5, 0.3)
    const score = scoreOf([launched, before, ...migration], 10)
    expect(score).to.include({ market: testCurve, unscored: null, anchorPx: pxOf(before) })
    expect(score?.ret1).to.equal(0)
    expect(score?.ret60).to.be.closeTo((2 * poolPx) / pxOf(before) - 1, 1e-9)
  })

  it('of a graduated mint is scored in the pool, if it became known half an hour before the mint is forgotten', () => {
    const closedSec = 100 + graduatedLifeMs / 1000
    expect(scoreOf([launched, ...migration], 200)).to.include({ market: testPool, unscored: null })
    const known = { isAsked: false, unscored: null, market: testPool, ret60: 0 }
    expect(scoreOf([launched, ...migration], closedSec - 1801)).to.include(known)
    expect(scoreOf([launched, ...migration], closedSec - 1800)).to.include({ isAsked: true, unscored: 'unanswered' })
  })

  it('is one of 20 that wait for asked prices: later ones are left out, until the first do not wait any more', () => {
    const at = (count: number, postedSec: number) =>
      Array.from({ length: count }, (_, index) => {
        const post = postedSec * 100 + index
        return buildMention({ postedAtMs: second(postedSec), post, poster: String(post) })
      })
    const run = given([mints, markets, calls], [])
      .when(...at(22, 10), ...at(1, 25), ...at(1, 26))
      .wokenAt(second(2 * hour))
    const scores = run.records.flatMap((record: ChainBDerived) => (record.type === 'CallScored' ? [record.data] : []))
    const counts = (postedSec: number) =>
      scores.filter(({ postedAtMs }) => postedAtMs === second(postedSec)).map(({ unscored }) => unscored)
    expect(counts(10).filter((why) => why === 'too_many')).to.have.length(2)
    expect(counts(10).filter((why) => why === 'unanswered')).to.have.length(20)
    expect([counts(25), counts(26)]).to.deep.equal([['too_many'], ['unanswered']])
  })

  it('asks for the price at the post, the marks of its score and its samples, each for as long as it is of use', () => {
    const driver = createTestDriver(chainB)
    const askedAt = new Map<number, number>()
    const passTo = (atSec: number) => {
      for (const { record } of driver.tick(second(atSec)))
        if (record.type === 'PriceAsked') askedAt.set((record.data.atMs - second(0)) / 1000, record.data.usefulMs)
    }
    driver.answer(testMint, buildMention({ postedAtMs: second(10) }))
    passTo(11)
    driver.answer(testMint, {
      ...buildPriceAnswer(`${testMint}:${second(10)}`, 1),
      data: { ...buildPriceAnswer(`${testMint}:${second(10)}`, 1).data, answeredAtMs: second(12) },
    })
    passTo(13)
    passTo(701)
    expect([...askedAt]).to.deep.equal([
      [10, 15_000],
      [72, 60_000],
      [312, 60_000],
      [610, 300_000],
      [612, 60_000],
    ])
  })

  it('shares the price at the post with another post of the same instant, however late that one became known', () => {
    const driver = createTestDriver(chainB)
    const asked: number[] = []
    const scores: Readonly<{ post: number; unscored: string | null; ret60: number | null }>[] = []
    const passTo = (atSec: number) => {
      for (const { record } of driver.tick(second(atSec))) {
        if (record.type === 'CallScored') scores.push(record.data)
        if (record.type !== 'PriceAsked') continue
        asked.push(record.data.atMs)
        // Answers each question once.
        const isAgain = asked.indexOf(record.data.atMs) < asked.length - 1
        const { data } = buildPriceAnswer(record.data.questionId, asked.length)
        const answeredAtMs = record.data.atMs + 1000
        if (!isAgain) driver.answer(testMint, { type: 'PriceAnswered', data: { ...data, answeredAtMs } })
      }
    }
    driver.answer(testMint, buildMention({ postedAtMs: second(10), post: 1, poster: '1' }))
    for (const atSec of [11, 12, 80]) passTo(atSec)
    driver.answer(testMint, buildMention({ postedAtMs: second(10), post: 2, poster: '2', seenAtMs: second(80) }))
    for (let atSec = 90; atSec < 2 * hour; atSec += 10) passTo(atSec)
    expect(asked.filter((atMs) => atMs === second(10))).to.have.lengthOf(1)
    expect(scores.map(({ post, unscored }) => [post, unscored])).to.deep.equal([
      [1, null],
      [2, null],
    ])
    expect(scores[1]?.ret60).to.equal(scores[0]?.ret60)
  })

  it('is triggered by a burst of its curve', () => {
    const driver = createTestDriver(chainB)
    driver.fact(testMint, launched)
    driver.answer(testMint, buildMention({ postedAtMs: second(200) }))
    driver.tick(second(250))
    for (let buy = 0; buy < 12; buy++)
      driver.fact(testMint, buildCurveTraded({ blockAtMs: second(400 + buy), sol: 1.2, fill: 0.3 + buy / 100 }))
    const triggered = driver
      .tick(second(500))
      .flatMap(({ record }) => (record.type === 'Call' ? [record.data.triggered] : []))
    expect(triggered).to.include('sol')
  })

  it('leaves nothing behind when the mint is closed and the watch is over', () => {
    const { driver } = given([mints, markets, calls], [launched, ...migration])
      .when(buildMention({ postedAtMs: second(150) }))
      .wokenAt(second(150 + 51 * hour))
    expect(driver.counts()).to.deep.equal({ tokens: 0, timers: 0 })
  })
})
