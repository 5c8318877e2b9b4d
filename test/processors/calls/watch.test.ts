import { expect } from 'chai'
import type { Quote } from '../../../processors/calls/prices.ts'
import { stageOf } from '../../../processors/calls/stage.ts'
import { watching, watchLimits } from '../../../processors/calls/watch.ts'
import type { WatchStep } from '../../../processors/calls/watching.ts'
import type { Call, PriceAsked } from '../../../schemas/calls/derived.ts'
import { tooOld } from '../../../schemas/calls/facts.ts'
import { buildHash, second, testPool, testToken } from '../../support/build-facts.ts'
import { buildMention, buildPriceAnswer } from '../../support/build-mentions.ts'

const minute = (minutes: number) => second(minutes * 60)
const quoteAt = (px: number, fields: Partial<Quote> = {}): Quote => ({
  market: testPool,
  source: 'pool',
  px,
  openedAtMs: minute(-120),
  fill: null,
  supplyRaw: null,
  ...fields,
})

/** A watch with the instants it asked for, and its market: the price in force at each instant, or null. */
function openWatch(priceAt: (atMs: number) => Quote | null, fields: Parameters<typeof buildMention>[0] = {}) {
  const { data } = buildMention(fields)
  const { watch, step } = watching.open(testToken, data, priceAt(data.postedAtMs))
  const calls: Call[] = []
  const asked: PriceAsked[] = []
  let wakes: number[] = []
  const take = ({ records, wakeAtMs }: WatchStep): readonly string[] => {
    for (const { type, data } of records) type === 'Call' ? calls.push(data) : asked.push(data)
    wakes = [...wakes, ...wakeAtMs].sort((one, other) => one - other)
    return records.map(({ type }) => type)
  }
  take(step)
  const runTo = (atMs: number) => {
    for (let due = wakes[0]; due !== undefined && due <= atMs; due = wakes[0]) {
      wakes.shift()
      take(watching.onSample(watch, due, priceAt(due)))
    }
  }
  const answer = (atMs: number, px: number | null, rest?: Parameters<typeof buildPriceAnswer>[2]) =>
    take(watching.onPrice(watch, buildPriceAnswer(`${testToken}:${atMs}`, px, rest).data))
  return { watch, calls, asked, take, runTo, answer, last: () => calls.at(-1) as Call, pending: () => wakes }
}

type Opened = ReturnType<typeof openWatch>
const always = (px: number, fields: Partial<Quote> = {}) => openWatch(() => quoteAt(px, fields))
const untracked = () => openWatch(() => null)

describe('the watch of a call', () => {
  it('tells at once who posted where, before any price', () => {
    const { calls, asked } = openWatch(() => quoteAt(1), { chat: '7', chatName: null, poster: '9', isLate: true })
    expect(calls).to.deep.equal([
      {
        ...{ calledAtMs: second(0), firstSeenAtMs: second(1), isLate: true, isFirst: true },
        chats: [{ chat: '7', chatName: null, firstAtMs: second(0), posts: 1, posters: ['9'] }],
        ...{ recalls: 0, anchor: null, stage: 'pool_1_6h', triggered: null },
        ...{ ret1h: null, ret4h: null, ret12h: null, ret24h: null, ret48h: null },
        ...{ lastRet: null, maxRet: null, dipBeforeMax: null, lastSampleAtMs: null, maxAtMs: null },
        ...{ hasCode: null, ruggedAtMs: null, isDead: false, isDone: false },
      },
    ])
    expect(asked).to.deep.equal([])
  })

  describe('has as its anchor', () => {
    it('the price in force 3 s after the post, with its market cap where the supply is known', () => {
      const opened = openWatch((atMs) => quoteAt(atMs >= second(3) ? 2 : 1, { supplyRaw: 50 }))
      opened.runTo(second(3))
      expect(opened.last().anchor).to.deep.equal({
        ...{ atMs: second(3), px: 2, mcapUsd: null, mcapCoin: 100, source: 'pool', market: testPool, isAsked: false },
      })
      opened.runTo(minute(9))
      expect(opened.calls).to.have.length(2)
    })

    for (const [sec, isAnchor] of [
      [4, true],
      [120, true],
      [121, false],
    ] as const)
      it(`${isAnchor ? 'the' : 'no'} first price, ${sec} s after the post`, () => {
        const opened = openWatch((atMs) => (atMs >= second(sec) ? quoteAt(5) : null))
        opened.runTo(minute(9))
        expect(opened.last().anchor?.atMs ?? null).to.equal(isAnchor ? second(sec) : null)
        expect(opened.last().stage).to.equal(isAnchor ? 'pool_1_6h' : null)
      })

    it('the answer to the question at the post, of a token that is not tracked', () => {
      const opened = untracked()
      expect(opened.asked).to.deep.equal([
        { questionId: `${testToken}:${second(0)}`, revision: 0, atMs: second(0), market: null, isInUsd: false },
      ])
      expect(opened.answer(second(0), 0.5, { source: 'aggregator' })).to.deep.equal(['Call'])
      expect(opened.last().anchor).to.deep.equal({
        ...{
          atMs: second(0),
          px: 0.5,
          mcapUsd: 5000,
          mcapCoin: null,
          source: 'aggregator',
          market: null,
          isAsked: true,
        },
      })
      expect(opened.last().stage).to.equal(null)
      expect(opened.answer(second(0), 0.7, { source: 'aggregator' })).to.deep.equal([])
    })

    it('the answer to the question ten minutes after it, where the first one failed', () => {
      const opened = untracked()
      expect(opened.answer(second(0), null)).to.deep.equal([])
      opened.runTo(minute(10))
      opened.answer(minute(10), 3, { source: 'aggregator' })
      expect(opened.last()).to.deep.include({ lastSampleAtMs: minute(10), lastRet: 0 })
      expect(opened.last().anchor?.atMs).to.equal(minute(10))
    })

    it('nothing, where both failed: then nothing is asked any more, and posts still count', () => {
      const opened = untracked()
      opened.answer(second(0), null)
      opened.runTo(minute(10))
      opened.answer(minute(10), null)
      opened.runTo(minute(2880))
      expect(opened.asked.map(({ atMs }) => atMs)).to.deep.equal([second(0), minute(10)])
      expect(opened.calls).to.have.length(2)
      expect(opened.last()).to.deep.include({ anchor: null, isDead: false, isDone: true, ret48h: null })
    })

    it('no price that is none', () => {
      const opened = untracked()
      expect(opened.answer(second(0), 0)).to.deep.equal([])
      expect(opened.watch.anchor).to.equal(null)
    })
  })

  describe('samples every ten minutes', () => {
    it('what the stage knows, and asks nobody', () => {
      const opened = openWatch((atMs) => quoteAt(atMs < minute(60) ? 1 : atMs === minute(60) ? 4 : 3))
      opened.runTo(minute(2880))
      expect(opened.asked).to.deep.equal([])
      expect(opened.calls).to.have.length(2 + 288)
      expect(opened.last()).to.deep.include({
        ...{ ret1h: 3, ret4h: 2, ret12h: 2, ret24h: 2, ret48h: 2, lastRet: 2, lastSampleAtMs: minute(2880) },
        ...{ maxRet: 3, maxAtMs: minute(60), dipBeforeMax: 0, isDead: false, isDone: true },
      })
      expect(opened.calls.at(-2)?.isDone).to.equal(false)
      expect(opened.pending()).to.deep.equal([])
    })

    it('what its market’s node says, once the stage tracks it no more', () => {
      const opened = openWatch((atMs) => (atMs <= minute(20) ? quoteAt(1) : null))
      opened.runTo(minute(30))
      expect(opened.asked).to.deep.equal([
        { questionId: `${testToken}:${minute(30)}`, revision: 0, atMs: minute(30), market: testPool, isInUsd: false },
      ])
      opened.answer(minute(30), 1.5, { source: 'pool' })
      expect(opened.last()).to.deep.include({ lastRet: 0.5, lastSampleAtMs: minute(30) })
    })

    it('the pool that a curve became, in the same coin', () => {
      const pool = buildHash(0xb1)
      const opened = openWatch((atMs) => {
        if (atMs < minute(15)) return quoteAt(1, { source: 'curve', fill: 0.9 })
        return atMs < minute(30) ? quoteAt(2, { market: pool }) : null
      })
      opened.runTo(minute(30))
      expect(opened.last()).to.deep.include({ lastRet: 1, stage: 'curve_55_100' })
      expect(opened.last().anchor?.market).to.equal(testPool)
      expect(opened.asked[0]?.market).to.equal(pool)
    })

    const otherFamily: readonly (readonly [string, () => Opened, 'aggregator' | 'pool'])[] = [
      ['USD', () => openWatch((atMs) => (atMs <= second(3) ? quoteAt(1) : null)), 'aggregator'],
      ['coin', anchoredOutside, 'pool'],
    ]
    for (const [unit, open, source] of otherFamily)
      it(`and counts a price in ${unit} as a failed read where the anchor is not`, () => {
        const opened = open()
        opened.runTo(minute(20))
        expect(opened.answer(minute(10), 9, { source })).to.deep.equal([])
        expect(opened.watch.samples[0]).to.equal(0)
      })

    it('outside, where the anchor came from outside, even if the stage tracks the token by then', () => {
      const opened = openWatch((atMs) => (atMs > minute(5) ? quoteAt(7) : null))
      opened.answer(second(0), 2, { source: 'aggregator' })
      opened.runTo(minute(10))
      expect(opened.asked.at(-1)).to.include({ atMs: minute(10), market: null, isInUsd: true })
      opened.answer(minute(10), 3, { source: 'aggregator' })
      expect(opened.last().lastRet).to.equal(0.5)
    })

    it('in coin, where the anchor is that of a pool which nobody but the node knew', () => {
      const opened = untracked()
      opened.answer(second(0), 2, { source: 'pool' })
      opened.runTo(minute(10))
      expect(opened.asked.at(-1)).to.include({ atMs: minute(10), market: null, isInUsd: false })
      opened.answer(minute(10), 3, { source: 'pool' })
      expect(opened.last().lastRet).to.equal(0.5)
    })

    it('in whatever order the answers come, the last one after the end', () => {
      const opened = anchoredOutside()
      opened.runTo(minute(2880))
      expect(opened.last()).to.include({ isDone: true, ret48h: null })
      for (const [minutes, px] of [
        [2880, 4],
        [60, 2],
        [50, 1],
        [2870, 8],
      ] as const)
        opened.answer(minute(minutes), px, { source: 'aggregator' })
      expect(opened.last()).to.deep.include({
        ...{ ret1h: 1, ret48h: 3, lastRet: 3, lastSampleAtMs: minute(2880), maxRet: 7, maxAtMs: minute(2870) },
        ...{ dipBeforeMax: 0, isDone: true },
      })
    })

    const noAnswers: readonly (readonly [string, string])[] = [
      ['another token', `0x77:${minute(10)}`],
      ['an instant that is no sample', `${testToken}:${minute(11)}`],
      ['a sample that is not due', `${testToken}:${minute(20)}`],
      ['a time before the call', `${testToken}:${minute(-10)}`],
      ['nothing', testToken],
    ]
    for (const [what, questionId] of noAnswers)
      it(`and takes no answer about ${what}`, () => {
        const opened = anchoredOutside()
        opened.runTo(minute(10))
        expect(opened.take(watching.onPrice(opened.watch, buildPriceAnswer(questionId, 9).data))).to.deep.equal([])
      })

    it('and takes no second answer', () => {
      const opened = anchoredOutside()
      opened.runTo(minute(10))
      opened.answer(minute(10), 2, { source: 'aggregator' })
      expect(opened.answer(minute(10), 3, { source: 'aggregator' })).to.deep.equal([])
    })
  })

  describe('of a token without a price for three hours', () => {
    it('says that it is dead, asks no more, and returns -1 for what is reached from then on', () => {
      const opened = anchoredOutside()
      fail(opened, [1, 17])
      expect(opened.last().isDead).to.equal(false)
      fail(opened, [18, 18])
      expect(opened.last()).to.include({ isDead: true, lastRet: -1, ret1h: null, ret4h: null, isDone: false })
      const before = opened.calls.length
      opened.runTo(minute(2880))
      expect(opened.asked).to.have.length(1 + 18)
      expect(
        opened.calls.slice(before).map(({ ret4h, ret12h, ret24h, ret48h }) => [ret4h, ret12h, ret24h, ret48h]),
      ).to.deep.equal([
        [-1, null, null, null],
        [-1, -1, null, null],
        [-1, -1, -1, null],
        [-1, -1, -1, -1],
      ])
      expect(opened.last()).to.include({ ret1h: null, maxRet: null, isDone: true })
    })

    it('does not count what nobody could ask for in time', () => {
      const opened = anchoredOutside()
      fail(opened, [1, 40], tooOld)
      expect(opened.last().isDead).to.equal(false)
      expect(opened.watch.samples.slice(0, 2)).to.deep.equal([-1, -1])
    })

    it('takes no price any more', () => {
      const opened = anchoredOutside()
      fail(opened, [1, 18])
      opened.runTo(minute(190))
      expect(opened.answer(minute(190), 2, { source: 'aggregator' })).to.deep.equal([])
    })
  })

  describe('counts posts', () => {
    it('of further posters and chats, in the order of their first posts', () => {
      const opened = always(1)
      const post = (fields: Parameters<typeof buildMention>[0]) =>
        opened.take(watching.onMention(opened.watch, buildMention(fields).data, null))
      post({ chat: '200', chatName: 'beta', poster: '5', postedAtMs: second(60) })
      post({ chat: '200', chatName: 'beta', poster: '6', postedAtMs: second(70), kind: 'brag' })
      post({ chat: '200', chatName: 'beta', poster: '5', postedAtMs: second(80) })
      post({ chat: '300', chatName: null, poster: '300', postedAtMs: second(-5) })
      expect(opened.last()).to.deep.include({ calledAtMs: second(0), recalls: 4, isFirst: false })
      expect(opened.last().chats).to.deep.equal([
        { chat: '300', chatName: null, firstAtMs: second(-5), posts: 1, posters: ['300'] },
        { chat: '100', chatName: 'alpha', firstAtMs: second(0), posts: 1, posters: ['100'] },
        { chat: '200', chatName: 'beta', firstAtMs: second(60), posts: 3, posters: ['5', '6'] },
      ])
    })

    it('and lists no more chats and posters than its limits', () => {
      const opened = always(1)
      const total = watchLimits.postersMax + 50
      for (let post = 2; post <= total; post++)
        watching.onMention(opened.watch, buildMention({ post, chat: `c${post % 30}`, poster: `p${post}` }).data, null)
      for (let chat = 0; chat < watchLimits.chatsMax; chat++)
        opened.take(watching.onMention(opened.watch, buildMention({ chat: `d${chat}` }).data, null))
      const { chats, recalls } = opened.last()
      expect(chats).to.have.length(watchLimits.chatsMax)
      expect(chats.flatMap(({ posters }) => posters)).to.have.length(watchLimits.postersMax)
      expect(recalls).to.equal(total - 1 + watchLimits.chatsMax)
    })
  })

  describe('is triggered', () => {
    it('by the first burst after the post', () => {
      const { watch, take, last } = always(1)
      expect(take(watching.onBurst(watch, 'lite', second(0)))).to.deep.equal([])
      expect(take(watching.onBurst(watch, 'main', second(50)))).to.deep.equal(['Call'])
      expect(take(watching.onBurst(watch, 'refire', second(60)))).to.deep.equal([])
      expect(last().triggered).to.equal('main')
      take(watching.onBurst(watch, 'lite', second(20)))
      expect(last().triggered).to.equal('lite')
    })

    it('until its 48 hours are over', () => {
      const { watch, take } = always(1)
      expect(take(watching.onBurst(watch, 'old', minute(2880) + 1))).to.deep.equal([])
      expect(take(watching.onBurst(watch, 'old', minute(2880)))).to.deep.equal(['Call'])
    })
  })

  const stages: readonly (readonly [Partial<Quote>, string | null])[] = [
    [{ source: 'curve', fill: 0 }, 'curve_0_25'],
    [{ source: 'curve', fill: 0.2499 }, 'curve_0_25'],
    [{ source: 'curve', fill: 0.25 }, 'curve_25_55'],
    [{ source: 'curve', fill: 0.55 }, 'curve_55_100'],
    [{ source: 'curve', fill: 1 }, 'curve_55_100'],
    [{ openedAtMs: second(0) }, 'pool_under_1h'],
    [{ openedAtMs: minute(-60) + 1 }, 'pool_under_1h'],
    [{ openedAtMs: minute(-60) }, 'pool_1_6h'],
    [{ openedAtMs: minute(-360) }, 'pool_6_24h'],
    [{ openedAtMs: minute(-1440) }, 'pool_over_24h'],
    [{ openedAtMs: null }, null],
    [{ source: 'curve', openedAtMs: second(0) }, null],
  ]
  for (const [fields, stage] of stages)
    it(`stands at ${stage ?? 'no stage'} with ${JSON.stringify(fields)}`, () => {
      expect(stageOf(quoteAt(1, fields), second(0))).to.equal(stage)
    })
})

/** Not tracked; an aggregator said 1 at the post. */
function anchoredOutside(): Opened {
  const opened = untracked()
  opened.answer(second(0), 1, { source: 'aggregator' })
  return opened
}

function fail(opened: Opened, [from, to]: readonly [number, number], failure = 'no source'): void {
  for (let count = from; count <= to; count++) {
    opened.runTo(minute(10 * count))
    opened.answer(minute(10 * count), null, { failure })
  }
}
