import { expect } from 'chai'
import { postLimits } from '../../../processors/calls/post-state.ts'
import { bursts } from '../../../processors/chain-a/bursts/processor.ts'
import { calls } from '../../../processors/chain-a/calls/processor.ts'
import { curves } from '../../../processors/chain-a/curves/processor.ts'
import { markets } from '../../../processors/chain-a/markets/processor.ts'
import { pools } from '../../../processors/chain-a/pools/processor.ts'
import { createTestDriver } from '../../../processors/runtime/test-driver.ts'
import { callRules } from '../../../schemas/calls/rules.ts'
import type { ChainADerived } from '../../../schemas/chain-a/derived.ts'
import type { ChainAFact } from '../../../schemas/chain-a/facts.ts'
import { poolLifeMs } from '../../../schemas/chain-a/pool-life.ts'
import { chainAStage } from '../../../schemas/chain-a/stage.ts'
import {
  buildCurveGraduated,
  buildCurveLaunched,
  buildCurveTraded,
  testCurve,
} from '../../support/builders/build-curves.ts'
import { buildPoolCreated, buildSwap, second, testPool, testToken } from '../../support/builders/build-facts.ts'
import { buildMention, buildPriceAnswer } from '../../support/builders/build-mentions.ts'

type Of<Type extends ChainADerived['type']> = Extract<ChainADerived, { type: Type }>['data']
type Post = Parameters<typeof buildMention>[0] & Readonly<{ atSec: number; knownSec?: number }>

const hour = 3600
const watchSec = callRules.watchMs / 1000

const traded = [buildPoolCreated(), buildSwap({ blockAtMs: second(1) })]

/**
 * Gives facts and posts to the stage in the order in which they become known, with a tick after each time.
 * The default of `knownSec` is `atSec`.
 */
function play(posts: readonly Post[], facts: readonly ChainAFact[] = traded) {
  const driver = createTestDriver({ stage: chainAStage, processors: [pools, curves, markets, bursts, calls] })
  const events = [
    ...facts.map((fact) => ({ atMs: fact.data.blockAtMs, give: () => driver.fact(testToken, fact) })),
    ...posts.map(({ atSec, knownSec = atSec, ...fields }) => ({
      atMs: second(knownSec),
      give: () => driver.answer(testToken, buildMention({ postedAtMs: second(atSec), ...fields })),
    })),
  ]
  events.sort((left, right) => left.atMs - right.atMs)
  for (const [index, { atMs, give }] of events.entries()) {
    give()
    if (events[index + 1]?.atMs !== atMs) driver.tick(atMs)
  }
  const untilSec = (sec: number) => {
    driver.tick(second(sec) + 1)
    return driver
  }
  const all = <Type extends ChainADerived['type']>(type: Type): Of<Type>[] =>
    driver.outputs().flatMap(({ record }) => (record.type === type ? [record.data as Of<Type>] : []))
  return { driver, untilSec, all }
}

const scoresOf = (posts: readonly Post[], facts?: Parameters<typeof play>[1]) => {
  const { untilSec, all } = play(posts, facts)
  untilSec(Math.max(...posts.map(({ atSec, knownSec = atSec }) => knownSec)) + 2 * hour)
  return all('CallScored').map(({ chat, post, poster, postedAtMs }) => `${chat}:${post}:${poster}@${postedAtMs}`)
}
const minuteOf = (minute: number) => buildSwap({ blockAtMs: second(60 * minute) })
const nameOf = (atSec: number, { chat = '100', post = 1, poster = '100' } = {}) =>
  `${chat}:${post}:${poster}@${second(atSec)}`

describe('the scores of a watch', () => {
  it('are one for each caller: chat and poster', () => {
    const posts = [
      { atSec: 10 },
      { atSec: 20, post: 2 },
      { atSec: 30, post: 3, poster: '7' },
      { atSec: 40, post: 3, chat: '9' },
      { atSec: 50, post: 4, poster: '7' },
    ]
    expect(scoresOf(posts)).to.deep.equal([
      nameOf(10),
      nameOf(30, { post: 3, poster: '7' }),
      nameOf(40, { post: 3, chat: '9' }),
    ])
  })

  it('begin with a call: neither a recall nor a brag begins a watch or is scored', () => {
    for (const kind of ['recall', 'brag'] as const) {
      expect(scoresOf([{ atSec: 10, kind }])).to.deep.equal([])
      const posts = [
        { atSec: 10, kind },
        { atSec: 20, post: 2 },
        { atSec: 30, kind, post: 3, poster: '7' },
      ]
      expect(scoresOf(posts)).to.deep.equal([nameOf(20, { post: 2 })])
    }
  })

  it('come an hour after their anchor, not before', () => {
    const { untilSec, all } = play([{ atSec: 10 }])
    untilSec(10 + 3 + hour - 1)
    expect(all('CallScored')).to.deep.equal([])
    untilSec(10 + 3 + hour)
    expect(all('CallScored')).to.have.lengthOf(1)
  })

  it('wait for a late anchor', () => {
    const facts = [buildPoolCreated({ blockAtMs: second(100) })]
    const { untilSec, all } = play([{ atSec: 10 }], facts)
    untilSec(100 + hour - 1)
    expect(all('CallScored')).to.deep.equal([])
    untilSec(100 + hour)
    expect(all('CallScored')[0]).to.include({ anchorAtMs: second(100), market: testPool, unscored: null })
  })

  it('are those of the pool where a curve graduated', () => {
    const facts = [
      buildCurveLaunched(),
      buildCurveTraded({ blockAtMs: second(5), eth: 1 }),
      buildPoolCreated({ blockAtMs: second(600) }),
      buildCurveGraduated({ blockAtMs: second(600) }),
      buildSwap({ blockAtMs: second(700), px: 5e-9 }),
    ]
    const { untilSec, all } = play([{ atSec: 10 }], facts)
    untilSec(2 * hour)
    const [score] = all('CallScored')
    expect(score?.market).to.equal(testCurve)
    expect((1 + (score?.ret60 ?? 0)) * (score?.anchorPx ?? 0)).to.be.closeTo(5e-27, 1e-36)
    expect(score?.ret5).to.equal(0)
  })

  it('begin again in the watch that follows 48 hours later', () => {
    const posts = [{ atSec: 10 }, { atSec: 10 + watchSec - 1, post: 2 }, { atSec: 10 + watchSec, post: 3 }]
    expect(scoresOf(posts)).to.deep.equal([nameOf(10), nameOf(10 + watchSec, { post: 3 })])
  })

  it('of a post that becomes known after the watch belong to the watch that it was posted in', () => {
    const late = { atSec: 10 + watchSec - 1, knownSec: 10 + watchSec + 800 }
    expect(scoresOf([{ atSec: 10 }, { ...late, post: 2 }])).to.deep.equal([nameOf(10)])
    const other = { ...late, post: 2, poster: '7' }
    expect(scoresOf([{ atSec: 10 }, other])).to.deep.equal([nameOf(10), nameOf(late.atSec, { post: 2, poster: '7' })])
  })

  it('have a late anchor if the post became known when its prices were no longer kept', () => {
    const facts = [buildPoolCreated(), ...Array.from({ length: 200 }, (_, index) => minuteOf(index + 1))]
    const { untilSec, all } = play([{ atSec: 600, knownSec: 2 * hour }], facts)
    untilSec(4 * hour)
    const scores = all('CallScored').map(({ unscored, isAsked }) => ({ unscored, isAsked }))
    expect(scores).to.deep.equal([{ unscored: 'late_anchor', isAsked: false }])
  })

  it('are not of callers beyond the limit', () => {
    const posts = Array.from({ length: postLimits.pendingMax + 5 }, (_, index) => ({
      atSec: 10,
      post: index,
      poster: `${index}`,
    }))
    const driver = createTestDriver({ stage: chainAStage, processors: [pools, markets, calls] })
    driver.fact(testToken, buildPoolCreated())
    for (const { atSec, ...fields } of posts)
      driver.answer(testToken, buildMention({ postedAtMs: second(atSec), ...fields }))
    driver.tick(second(5))
    const scored = driver.tick(second(2 * hour)).filter(({ record }) => record.type === 'CallScored')
    expect(scored).to.have.lengthOf(postLimits.pendingMax)
  })
})

describe('a watch', () => {
  it('takes each post once, however often it is read', () => {
    const { all } = play([{ atSec: 10 }, { atSec: 10, knownSec: 11 }, { atSec: 12, post: 2 }, { atSec: 20, post: 9 }])
    expect(all('Call').at(-1)?.recalls).to.equal(1)
  })

  it('takes a post once block time has passed it, however early it is known', () => {
    const { untilSec, all } = play([
      { atSec: 10, knownSec: 5 },
      { atSec: 300, knownSec: 5, post: 2, poster: '7' },
    ])
    const recallsAt = (sec: number) => {
      untilSec(sec)
      return all('Call').at(-1)?.recalls
    }
    expect([9, 10, 299, 300].map(recallsAt)).to.deep.equal([undefined, 0, 0, 1])
  })

  it('begins with the first post that is known, whatever was posted before it', () => {
    const { all, untilSec } = play([
      { atSec: 10 },
      { atSec: 5, knownSec: 20, post: 2, poster: '7' },
      { atSec: 30, post: 3 },
    ])
    untilSec(40)
    expect(new Set(all('Call').map(({ calledAtMs }) => calledAtMs))).to.deep.equal(new Set([second(10)]))
    expect(all('Precall').map(({ postedAtMs }) => postedAtMs)).to.deep.equal([second(10)])
  })

  it('learns of the bursts after its first post, also of one before the post was known', () => {
    const buys = Array.from({ length: 8 }, (_, index) => buildSwap({ blockAtMs: second(400 + index), eth: 0.2 }))
    const facts = [buildPoolCreated(), ...buys]
    const triggeredBy = (post: Post) => {
      const { all, untilSec } = play([post], facts)
      untilSec(5000)
      return all('Call').at(-1)?.triggered
    }
    expect(triggeredBy({ atSec: 399 })).to.equal('lite')
    expect(triggeredBy({ atSec: 399, knownSec: 900 })).to.equal('lite')
    // At 4901 s the state no longer has anything older than 75 minutes. The burst at 407 s is just new
    // enough.
    expect(triggeredBy({ atSec: 399, knownSec: 4901 })).to.equal('lite')
    expect(triggeredBy({ atSec: 407, knownSec: 900 })).to.equal(null)
    expect(triggeredBy({ atSec: 406, knownSec: 900 })).to.equal('lite')
    expect(triggeredBy({ atSec: 500 })).to.equal(null)
  })

  it('samples the price of its anchor’s market every ten minutes, at the instant', () => {
    const facts = [
      buildPoolCreated(),
      ...[605, 612, 1300].map((sec) => buildSwap({ blockAtMs: second(sec), px: sec * 1e-9 })),
    ]
    const { all, untilSec } = play([{ atSec: 10, knownSec: 800 }], facts)
    untilSec(1305)
    const [first] = all('Call').filter(({ lastSampleAtMs }) => lastSampleAtMs === second(610))
    expect(first?.lastRet).to.be.closeTo(604, 1e-6)
    expect(all('Call').at(-1)?.lastRet).to.be.closeTo(611, 1e-6)
  })

  //  0        10 the address alone     60 its pool opens     100 a call     200 a post, the node says: no code
  //               |-- not a token yet ----------------------------|-- the call is observed ------------->
  it('begins anew where a token is launched after its address was posted', () => {
    const posts = [
      { atSec: 10, post: 1, hasCode: false },
      { atSec: 100, post: 2, chat: '200' },
      { atSec: 200, post: 3, chat: '300', hasCode: false },
    ] as const
    const { all, untilSec } = play(posts, [
      buildPoolCreated({ blockAtMs: second(60) }),
      buildSwap({ blockAtMs: second(61) }),
    ])
    untilSec(100 + 2 * hour)
    const ofCall = (atSec: number) => all('Call').filter(({ calledAtMs }) => calledAtMs === second(atSec))
    expect(ofCall(10).at(-1)).to.deep.include({ hasCode: false, recalls: 0, anchor: null })
    expect(ofCall(100).at(-1)).to.deep.include({ hasCode: null, recalls: 1, lastRet: 0 })
    expect(all('Call').filter(({ isFirst }) => isFirst)).to.have.lengthOf(2)
    expect(all('Precall').map(({ postedAtMs }) => postedAtMs)).to.deep.equal([second(100)])
    expect(all('CallScored').map(({ post, unscored }) => [post, unscored])).to.deep.equal([[2, null]])
  })

  it('gets the prices that were asked for a token that is not tracked', () => {
    const { driver, all } = play([{ atSec: 10 }], [])
    driver.tick(second(11))
    expect(all('PriceAsked').map(({ questionId }) => questionId)).to.deep.equal([`${testToken}:${second(10)}`])
    const { data } = buildPriceAnswer(`${testToken}:${second(10)}`, 3, { source: 'aggregator' })
    driver.answer(testToken, { type: 'PriceAnswered', data: { ...data, answeredAtMs: second(12) } })
    driver.tick(second(12))
    expect(all('Call').at(-1)?.anchor).to.include({ px: 3, source: 'aggregator' })
  })
})

describe('what is remembered of a token', () => {
  it('is nothing once its pools are closed and its watch is over', () => {
    const { untilSec } = play([{ atSec: 10 }])
    expect(untilSec(100).counts().tokens).to.equal(1)
    expect(untilSec(11 + watchSec + 900).counts().tokens, 'closed, and still known').to.equal(1)
    expect(untilSec(12 + watchSec + 900 + 2 * 4500).counts()).to.deep.equal({ tokens: 0, timers: 0 })
  })

  it('is nothing 75 minutes after its last market was closed, if nobody called it', () => {
    const { untilSec } = play([])
    const closedSec = poolLifeMs / 1000
    expect(untilSec(closedSec + 4400).counts().tokens).to.equal(1)
    expect(untilSec(closedSec + 2 * 4500).counts()).to.deep.equal({ tokens: 0, timers: 0 })
  })

  it('is nothing of a token without a market once its watch is over, whether a price was told or not', () => {
    for (const isAnswered of [true, false]) {
      const { driver, untilSec } = play([{ atSec: 10 }], [])
      if (isAnswered)
        driver.answer(testToken, buildPriceAnswer(`${testToken}:${second(10)}`, 3, { source: 'aggregator' }))
      expect(untilSec(11 + watchSec).counts().tokens).to.equal(1)
      expect(untilSec(12 + watchSec + 900).counts()).to.deep.equal({ tokens: 0, timers: 0 })
    }
  })

  it('is nothing of a post that nobody can use', () => {
    const { untilSec } = play([{ atSec: 10, kind: 'brag' }], [])
    expect(untilSec(11).counts()).to.deep.equal({ tokens: 0, timers: 0 })
  })

  it('is a timer for the prices and one for the buys of a pool that trades, and none of one that does not', () => {
    const timers = (facts: Parameters<typeof play>[1]) => play([], facts).driver.counts().timers
    const idle = timers([buildPoolCreated()])
    const busy = Array.from({ length: 50 }, (_, index) => buildSwap({ blockAtMs: second(1 + index) }))
    expect(timers([buildPoolCreated(), ...busy])).to.equal(idle + 2)
  })
})
