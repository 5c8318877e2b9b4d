import { expect } from 'chai'
import { watchLimits } from '../../../processors/calls/chats.ts'
import { watchRulesOf } from '../../../processors/calls/samples.ts'
import { stageOf } from '../../../processors/calls/stage.ts'
import {
  openWatch as beginWatch,
  takeBurst,
  takeMove,
  takePost,
  takePrice,
  takeSample,
  type WatchStep,
} from '../../../processors/calls/watch.ts'
import { closeLine, lineOf, type Markets, noMarkets, openLine, openLines } from '../../../processors/markets/markets.ts'
import type { Move } from '../../../processors/markets/move.ts'
import { addPoint, noPoints, pushPoint } from '../../../processors/markets/points.ts'
import type { Quote } from '../../../processors/markets/prices.ts'
import type { Call, PriceAsked } from '../../../schemas/calls/derived.ts'
import { tooOld } from '../../../schemas/calls/facts.ts'
import { callRules } from '../../../schemas/calls/rules.ts'
import { buildHash, second, testPool, testToken } from '../../support/builders/build-facts.ts'
import { buildMention, buildPriceAnswer } from '../../support/builders/build-mentions.ts'

const rules = watchRulesOf(callRules)
const sceneOf = (markets: Markets) => ({ markets, rules })

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

type Answering = Readonly<{
  source?: 'curve' | 'pool' | 'aggregator'
  failure?: string
  isWithoutPrice?: boolean
  answeredAtMs?: number
}>

/**
 * Builds the token's markets with the price `priceAt` at each time. When the market changes, the old market
 * names the new one as its successor.
 */
function followPrices(priceAt: (atMs: number) => Quote | null) {
  const markets = noMarkets()
  return (atMs: number) => {
    const quote = priceAt(atMs)
    for (const line of openLines(markets))
      if (line.market !== quote?.market) closeLine(line, atMs, quote?.market ?? null)
    if (quote === null) return markets
    const known = lineOf(markets, quote.market)
    const line =
      known?.closedAtMs === null
        ? known
        : openLine(markets, {
            ...quote,
            depth: 0,
            forgottenAtMs: null,
            idleLifeMs: Number.MAX_SAFE_INTEGER,
            fill: null,
          })
    addPoint(line.prices, atMs, quote.px)
    line.fills ??= quote.fill === null ? null : noPoints()
    if (line.fills !== null && quote.fill !== null) addPoint(line.fills, atMs, quote.fill)
    markets.newestAtMs = atMs
    return markets
  }
}

/**
 * Opens the observation of a called token, and records its price lookups and timers. `priceAt` returns the
 * price of the market at a time, or null.
 */
function openWatch(priceAt: (atMs: number) => Quote | null, fields: Parameters<typeof buildMention>[0] = {}) {
  const { data } = buildMention(fields)
  const marketsAt = followPrices(priceAt)
  const { watch, step } = beginWatch(testToken, data, sceneOf(marketsAt(data.postedAtMs)))
  const calls: Call[] = []
  const asked: PriceAsked[] = []
  let wakes: number[] = []
  let nowMs = data.postedAtMs
  const take = ({ records, wakeAtMs }: WatchStep): readonly string[] => {
    for (const { type, data } of records) type === 'Call' ? calls.push(data) : asked.push(data)
    wakes = [...new Set([...wakes, ...wakeAtMs])].sort((one, other) => one - other)
    return records.map(({ type }) => type)
  }
  take(step)
  const runTo = (atMs: number) => {
    for (let due = wakes[0]; due !== undefined && due <= atMs; due = wakes[0]) {
      wakes.shift()
      nowMs = Math.max(due, nowMs)
      take(takeSample(watch, due, sceneOf(marketsAt(due))))
    }
    nowMs = Math.max(atMs, nowMs)
  }
  const answer = (atMs: number, px: number | null, { source, failure, ...rest }: Answering = {}) => {
    const { data } = buildPriceAnswer(`${testToken}:${atMs}`, px, {
      ...(source && { source }),
      ...(failure && { failure }),
    })
    return take(takePrice(watch, { ...data, ...rest }, rules))
  }
  /** Changes the liquidity of a market. `left` is the share of the liquidity that remains from `atMs` on. */
  const leave = (atMs: number, left: number, market = testPool) => {
    const markets = marketsAt(atMs)
    const line = lineOf(markets, market)
    if (line) {
      line.lefts ??= { atMs: [0], value: [1] }
      pushPoint(line.lefts, atMs, left)
    }
    return take(takeMove(watch, { type: 'liquidity', market, atMs, ratio: left, left }, sceneOf(markets)))
  }
  const move = (told: Move) => take(takeMove(watch, told, sceneOf(marketsAt(told.atMs))))
  return {
    watch,
    calls,
    asked,
    take,
    runTo,
    answer,
    leave,
    move,
    last: () => calls.at(-1) as Call,
    pending: () => wakes,
  }
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
        {
          questionId: `${testToken}:${second(0)}`,
          revision: 0,
          atMs: second(0),
          market: null,
          ...{ isInUsd: false, usefulMs: 15_000 },
        },
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

    for (const [sec, isAnchor] of [
      [15, true],
      [15.001, false],
    ] as const)
      it(`${isAnchor ? 'the' : 'no'} answer that came ${sec} s after the post`, () => {
        const opened = untracked()
        const told = opened.answer(second(0), 3, { source: 'aggregator', answeredAtMs: second(sec) })
        expect(told).to.deep.equal(isAnchor ? ['Call'] : [])
        expect(opened.watch.anchor?.atMs ?? null).to.equal(isAnchor ? second(sec) : null)
      })

    it('nothing, where the question at the post failed or was answered late: nothing is asked again', () => {
      for (const told of [
        [null, {}],
        [null, { failure: tooOld }],
        [3, { answeredAtMs: second(16) }],
      ] as const) {
        const opened = untracked()
        opened.answer(second(0), told[0], told[1])
        opened.runTo(minute(2880))
        expect(opened.asked.map(({ atMs }) => atMs)).to.deep.equal([second(0)])
        expect(opened.last()).to.deep.include({ anchor: null, isDead: false, isDone: true, ret48h: null })
      }
    })

    it('the price of the log, where it came before the answer', () => {
      const opened = openWatch((atMs) => (atMs >= second(5) ? quoteAt(5) : null))
      opened.runTo(second(6))
      expect(opened.answer(second(0), 3, { answeredAtMs: second(7) })).to.deep.equal([])
      expect(opened.last().anchor).to.deep.include({ px: 5, atMs: second(5), isAsked: false })
    })

    it('the answer, where it came before the price of the log', () => {
      const opened = openWatch((atMs) => (atMs >= second(5) ? quoteAt(5) : null))
      opened.answer(second(0), 3, { source: 'curve', answeredAtMs: second(4) })
      opened.runTo(minute(9))
      expect(opened.last().anchor).to.deep.include({ px: 3, atMs: second(4), isAsked: true, market: null })
    })

    it('nothing of what has no code: nothing is asked or sampled, and posts count', () => {
      const opened = openWatch(() => null, { hasCode: false })
      opened.runTo(minute(2880))
      expect([opened.asked, opened.pending()]).to.deep.equal([[], []])
      opened.take(takePost(opened.watch, buildMention({ post: 2 }).data, rules))
      expect(opened.last()).to.deep.include({ anchor: null, recalls: 1, hasCode: false })
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
        {
          questionId: `${testToken}:${minute(30)}`,
          revision: 0,
          atMs: minute(30),
          market: testPool,
          ...{ isInUsd: false, usefulMs: 300_000 },
        },
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
      ['an instant that is no sample', `${testToken}:${minute(11)}`],
      ['a sample that is not due', `${testToken}:${minute(20)}`],
      ['a time before the call', `${testToken}:${minute(-10)}`],
      ['nothing', testToken],
    ]
    for (const [what, questionId] of noAnswers)
      it(`and takes no answer about ${what}`, () => {
        const opened = anchoredOutside()
        opened.runTo(minute(10))
        expect(opened.take(takePrice(opened.watch, buildPriceAnswer(questionId, 9).data, rules))).to.deep.equal([])
      })

    it('and takes no second answer', () => {
      const opened = anchoredOutside()
      opened.runTo(minute(10))
      opened.answer(minute(10), 2, { source: 'aggregator' })
      expect(opened.answer(minute(10), 3, { source: 'aggregator' })).to.deep.equal([])
    })
  })

  describe('of a token without a price for three hours', () => {
    it('says that it is dead, asks once an hour, and returns -1 for what is reached from then on', () => {
      const opened = anchoredOutside()
      fail(opened, [1, 17])
      expect(opened.last().isDead).to.equal(false)
      fail(opened, [18, 18])
      expect(opened.last()).to.include({ isDead: true, lastRet: -1, ret1h: -1, ret4h: null, isDone: false })
      const before = opened.calls.length
      opened.runTo(minute(2880))
      const later = opened.asked.slice(1 + 18).map(({ atMs }) => atMs)
      expect(later).to.deep.equal(Array.from({ length: 45 }, (_, index) => minute(60 * (4 + index))))
      expect(
        opened.calls.slice(before).map(({ ret4h, ret12h, ret24h, ret48h }) => [ret4h, ret12h, ret24h, ret48h]),
      ).to.deep.equal([
        [-1, null, null, null],
        [-1, -1, null, null],
        [-1, -1, -1, null],
        [-1, -1, -1, -1],
      ])
      expect(opened.last()).to.include({ ret1h: -1, maxRet: null, isDone: true })
    })

    it('does not count what nobody answered, or could ask for in time', () => {
      for (const rest of [{ failure: tooOld }, { failure: 'provider is away', isWithoutPrice: false }]) {
        const opened = anchoredOutside()
        fail(opened, [1, 40], rest)
        expect(opened.last().isDead).to.equal(false)
        expect(opened.watch.samples.slice(0, 2)).to.deep.equal([-1, -1])
        expect(opened.asked).to.have.length(1 + 40)
      }
    })

    it('passes over what nobody answered', () => {
      const opened = anchoredOutside()
      fail(opened, [1, 10])
      fail(opened, [11, 40], { isWithoutPrice: false })
      fail(opened, [41, 47])
      expect(opened.last().isDead).to.equal(false)
      fail(opened, [48, 48])
      expect(opened.last().isDead).to.equal(true)
    })

    it('lives again with a price, and is read ten minutes after it and on', () => {
      const opened = anchoredOutside()
      fail(opened, [1, 18])
      opened.runTo(minute(300))
      expect(opened.answer(minute(300), 2, { source: 'aggregator' })).to.deep.equal(['Call'])
      expect(opened.last()).to.include({ isDead: false, lastRet: 1, ret1h: -1, ret4h: -1, maxRet: 1 })
      const before = opened.asked.length
      opened.runTo(minute(330))
      expect(opened.asked.slice(before).map(({ atMs }) => atMs)).to.deep.equal([minute(310), minute(320), minute(330)])
      opened.runTo(minute(720))
      opened.answer(minute(720), 3, { source: 'aggregator' })
      expect(opened.last()).to.include({ ret4h: -1, ret12h: 2, lastRet: 2 })
    })

    it('lives again from the next sample on where the answer came late', () => {
      const opened = anchoredOutside()
      fail(opened, [1, 18])
      opened.runTo(minute(305))
      opened.answer(minute(240), 2, { source: 'aggregator' })
      const before = opened.asked.length
      opened.runTo(minute(320))
      expect(opened.asked.slice(before).map(({ atMs }) => atMs)).to.deep.equal([minute(310), minute(320)])
    })

    it('keeps a return of -1 that was told, also where its own read is the price that ends it', () => {
      const opened = anchoredOutside()
      fail(opened, [1, 18])
      opened.runTo(minute(240))
      expect(opened.last()).to.include({ ret4h: -1, isDead: true })
      opened.answer(minute(240), 2, { source: 'aggregator' })
      expect(opened.last()).to.include({ ret4h: -1, lastRet: 1, isDead: false })
    })

    it('takes no second answer to a read, a failed one neither', () => {
      const opened = anchoredOutside()
      fail(opened, [1, 18])
      expect(opened.answer(minute(180), 2, { source: 'aggregator' })).to.deep.equal([])
      expect(opened.last().isDead).to.equal(true)
    })
  })

  describe('of a market that is pulled', () => {
    it('says so at once, returns -1 for what is reached from then on, and asks nobody', () => {
      const opened = always(1)
      opened.runTo(minute(61))
      expect(opened.leave(minute(61) + 300, 0.2)).to.deep.equal(['Call'])
      const before = opened.calls.length
      expect(opened.last()).to.include({ ruggedAtMs: minute(61) + 300, ret1h: 0, lastRet: -1, isDead: false })
      opened.runTo(minute(2880))
      expect(opened.asked).to.deep.equal([])
      expect(
        opened.calls
          .slice(before)
          .map(({ ret1h, ret4h, ret12h, ret24h, ret48h }) => [ret1h, ret4h, ret12h, ret24h, ret48h]),
      ).to.deep.equal([
        ...[
          [0, -1, null, null, null],
          [0, -1, -1, null, null],
          [0, -1, -1, -1, null],
          [0, -1, -1, -1, -1],
        ],
      ])
      expect(opened.last()).to.include({ lastRet: -1, isDone: true, isDead: false, maxRet: 0, maxAtMs: minute(10) })
    })

    it('at the instant of a mark: the pull comes first only if its second has ended by then', () => {
      const marked = (ms: number) => {
        const opened = always(1)
        opened.runTo(minute(59))
        opened.leave(ms, 0.1)
        opened.runTo(minute(60))
        return opened.last().ret1h
      }
      expect([marked(minute(60)), marked(minute(60) + 1)]).to.deep.equal([-1, 0])
    })

    for (const [name, left, isRugged] of [
      ['a fifth', 0.2, true],
      ['more than a fifth', 0.2001, false],
      ['nothing', 0, true],
    ] as const)
      it(`${isRugged ? 'is' : 'is not'} where ${name} is left of what was there at the anchor`, () => {
        const opened = always(1)
        opened.runTo(minute(1))
        opened.leave(minute(2), left)
        expect(opened.watch.ruggedAtMs).to.equal(isRugged ? minute(2) : null)
      })

    for (const [lateMs, isRugged] of [
      [0, true],
      [1, false],
    ] as const)
      it(`${isRugged ? 'is' : 'is not'} ${lateMs} ms after the end of the watch`, () => {
        const opened = always(1)
        opened.runTo(minute(1))
        const atMs = second(0) + rules.watchMs + lateMs
        opened.leave(atMs, 0)
        expect(opened.watch.ruggedAtMs).to.equal(isRugged ? atMs : null)
      })

    it('is measured by what was left at the anchor', () => {
      const opened = openWatch(() => quoteAt(1))
      opened.leave(second(2), 0.5)
      opened.runTo(minute(1))
      expect(opened.leave(minute(2), 0.2)).to.deep.equal([])
      expect(opened.leave(minute(3), 0.1)).to.deep.equal(['Call'])
    })

    it('is told once, whatever is refilled or taken out later', () => {
      const opened = always(1)
      opened.runTo(minute(1))
      opened.leave(minute(2), 0.1)
      expect([opened.leave(minute(3), 1), opened.leave(minute(4), 0)]).to.deep.equal([[], []])
      expect(opened.watch.ruggedAtMs).to.equal(minute(2))
    })

    it('is its own market alone, or that which it went on in', () => {
      const pool = buildHash(0xb1)
      const opened = openWatch((atMs) =>
        atMs < minute(15) ? quoteAt(1, { source: 'curve', fill: 0.9 }) : quoteAt(2, { market: pool }),
      )
      opened.runTo(minute(10))
      expect(opened.leave(minute(11), 0.1, pool)).to.deep.equal([])
      opened.runTo(minute(20))
      opened.move({ type: 'closed', market: testPool, atMs: minute(15), next: pool })
      expect(opened.leave(minute(21), 0.1, testPool)).to.deep.equal([])
      expect(opened.leave(minute(22), 0.1, pool)).to.deep.equal(['Call'])
    })

    it('is none where the anchor was asked for, or is not there yet', () => {
      const opened = anchoredOutside()
      expect(opened.leave(minute(1), 0)).to.deep.equal([])
      const before = always(1)
      expect(before.leave(second(1), 0)).to.deep.equal([])
    })

    it('is known of the past where the post became known after it', () => {
      const markets = followPrices(() => quoteAt(1))
      const known = markets(minute(3))
      const line = lineOf(known, testPool)
      if (line === undefined) return expect.fail('there is no market')
      line.prices.atMs = [second(-60)]
      line.lefts = { atMs: [0, minute(2)], value: [1, 0.1] }
      const { watch } = beginWatch(testToken, buildMention({}).data, sceneOf(known))
      const { records } = takeSample(watch, second(3), sceneOf(known))
      expect(records.map(({ data }) => 'ruggedAtMs' in data && data.ruggedAtMs)).to.deep.equal([minute(2)])
      for (let count = 1; count <= 6; count++) takeSample(watch, minute(10 * count), sceneOf(known))
      expect(watch.samples).to.deep.equal([-2, -2, -2, -2, -2, -2])
    })
  })

  describe('counts posts', () => {
    it('of further posters and chats, in the order of their first posts', () => {
      const opened = always(1)
      const post = (fields: Parameters<typeof buildMention>[0]) =>
        opened.take(takePost(opened.watch, buildMention(fields).data, rules))
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
        takePost(opened.watch, buildMention({ post, chat: `c${post % 30}`, poster: `p${post}` }).data, rules)
      for (let chat = 0; chat < watchLimits.chatsMax; chat++)
        opened.take(takePost(opened.watch, buildMention({ chat: `d${chat}` }).data, rules))
      const { chats, recalls } = opened.last()
      expect(chats).to.have.length(watchLimits.chatsMax)
      expect(chats.flatMap(({ posters }) => posters)).to.have.length(watchLimits.postersMax)
      expect(recalls).to.equal(total - 1 + watchLimits.chatsMax)
    })
  })

  describe('is triggered', () => {
    it('by the first burst after the post', () => {
      const { watch, take, last } = always(1)
      expect(take(takeBurst(watch, { tier: 'lite', atMs: second(0) }, rules))).to.deep.equal([])
      expect(take(takeBurst(watch, { tier: 'main', atMs: second(50) }, rules))).to.deep.equal(['Call'])
      expect(take(takeBurst(watch, { tier: 'refire', atMs: second(60) }, rules))).to.deep.equal([])
      expect(last().triggered).to.equal('main')
      take(takeBurst(watch, { tier: 'lite', atMs: second(20) }, rules))
      expect(last().triggered).to.equal('lite')
    })

    it('until its 48 hours are over', () => {
      const { watch, take } = always(1)
      expect(take(takeBurst(watch, { tier: 'old', atMs: minute(2880) + 1 }, rules))).to.deep.equal([])
      expect(take(takeBurst(watch, { tier: 'old', atMs: minute(2880) }, rules))).to.deep.equal(['Call'])
    })
  })

  const stages: readonly (readonly [Partial<Quote>, string])[] = [
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
  ]
  for (const [fields, stage] of stages)
    it(`stands at ${stage} with ${JSON.stringify(fields)}`, () => {
      expect(stageOf(quoteAt(1, fields), second(0))).to.equal(stage)
    })
})

/** Opens the observation of a token that is not tracked. An aggregator answered a price of 1 at the post. */
function anchoredOutside(): Opened {
  const opened = untracked()
  opened.answer(second(0), 1, { source: 'aggregator' })
  return opened
}

function fail(opened: Opened, [from, to]: readonly [number, number], rest: Answering = {}): void {
  for (let count = from; count <= to; count++) {
    opened.runTo(minute(10 * count))
    opened.answer(minute(10 * count), null, rest)
  }
}
