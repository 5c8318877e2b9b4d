import { expect } from 'chai'
import fc from 'fast-check'
import { parseRules } from '../../../../infra/parse-rules.ts'
import { chainB, createChainB } from '../../../../processors/stages.ts'
import type { Call, CallScored } from '../../../../schemas/calls/derived.ts'
import type { ChainBDerived } from '../../../../schemas/chain-b/derived.ts'
import { testMint } from '../../../support/chain-b/build-facts.ts'
import { alignDoubles } from '../../../support/oracle/align-doubles.ts'
import { linesOfChainB } from '../../../support/oracle/calls/chain-b.ts'
import { type CallRules, callRules } from '../../../support/oracle/calls/rules.ts'
import {
  nextTick,
  rowsOf as recountedRows,
  scoresOf as recountedScores,
  type Told,
} from '../../../support/oracle/calls/watch.ts'
import { answering, type Delivery, factsOf, tell, type World, world } from './random-watches.ts'

const versionsOf = (records: readonly ChainBDerived[]): readonly Call[] =>
  records.flatMap((record) => (record.type === 'Call' ? [record.data] : []))

/** The last version of each row. */
const rowsOf = (records: readonly ChainBDerived[]): readonly Call[] => [
  ...new Map(versionsOf(records).map((call) => [call.calledAtMs, call])).values(),
]

const scoresOf = (records: readonly ChainBDerived[]): readonly CallScored[] =>
  inOrder(records.flatMap((record) => (record.type === 'CallScored' ? [record.data] : [])))

/** Returns the expected scores of posts that are more than three hours before the last tick. */
function expectedScores(told: Told): readonly object[] {
  const lastMs = told.tickAtMs.at(-1) ?? 0
  const scores = recountedScores(told).map(
    ({ mention: { postedAtMs, chat, post, chatName, poster, tokenCount }, tick: _, ...score }) => ({
      ...{ postedAtMs, chat, post, chatName, poster, tokenCount, ...score },
    }),
  )
  return inOrder(scores.filter(({ postedAtMs }) => postedAtMs < lastMs - 3 * 3_600_000))
}

const inOrder = <Score extends Readonly<{ postedAtMs: number; chat: string; post: number }>>(
  scores: readonly Score[],
) =>
  [...scores].sort(
    (one, other) =>
      one.postedAtMs - other.postedAtMs ||
      (one.chat < other.chat ? -1 : one.chat > other.chat ? 1 : one.post - other.post),
  )

/** Leaves out the fields about what triggered a call, because the random test data does not set them. */
const withoutTrigger = (rows: readonly object[]): readonly object[] =>
  rows.map((row) => ({ ...row, isFirst: undefined, triggered: undefined }))

function expectSame(rows: readonly object[], counted: readonly object[]): void {
  const expected = withoutTrigger(counted)
  expect(alignDoubles(withoutTrigger(rows), expected)).to.deep.equal(expected)
}

type Under = Readonly<{ runnable: typeof chainB; rules: CallRules }>
const byDefault: Under = { runnable: chainB, rules: callRules }

function compare(drawn: World, delivery: Delivery, { runnable, rules }: Under = byDefault): readonly Call[] {
  const { records, tickAtMs, posts } = tell(drawn, { ...delivery, runnable })
  const lines = linesOfChainB(factsOf(drawn))
  const answerTo = nextTick(tickAtMs, (atMs) => answering(drawn)(`${testMint}:${atMs}`))
  const told: Told = { lines, posts, tickAtMs, answerTo, rules }
  const rows = rowsOf(records)
  expectSame(rows, recountedRows(told))
  expectSame(scoresOf(records), expectedScores(told))
  return rows
}

const delivery = fc.record({
  // For a dead token, the next price lookup is requested only after the answer to the one before. So ten
  // minutes must contain at least two ticks.
  tickMs: fc.constantFrom(30_000, 60_000, 111_000),
  // The first price becomes known three ticks after the post becomes known. This must be before the first
  // sample, which is ten minutes after the post.
  delayMs: fc.integer({ min: -60_000, max: 240_000 }),
  isRestarted: fc.boolean(),
})

/**
 * A token in a pool is called. Random posts rarely do this, because the stage follows a pool for only an
 * hour.
 */
const calledInPool: World = {
  isKnown: true,
  trades: [20, 60, 300, 500, 400].map((gapSec) => ({ gapSec, level: 40 })),
  migratesAfter: 1,
  posts: [{ atSec: 600, chat: '100', post: 1, poster: '7', kind: 'call' }],
  mood: { seed: 1, source: 'pool', failShare: 0.1, silentShare: 0.2, slowShare: 0, isStrange: true },
}

/** The price falls by less than a fifth, and then rises by more than a third. */
const wonAfterAFall: World = {
  ...calledInPool,
  trades: [40, 30, 60].map((level) => ({ gapSec: 60, level })),
  migratesAfter: 60,
  posts: [{ atSec: 70, chat: '100', post: 1, poster: '7', kind: 'call' }],
}

/** The mint is not tracked. Two posts within an hour wait for prices from lookups. */
const askedTwice: World = {
  ...{ isKnown: false, trades: [], migratesAfter: 0 },
  posts: [
    { atSec: 600, chat: '100', post: 1, poster: '7', kind: 'call' },
    { atSec: 900, chat: '200', post: 1, poster: '7', kind: 'call' },
  ],
  mood: { seed: 0, source: 'aggregator', failShare: 0, silentShare: 0, slowShare: 0, isStrange: false },
}

/**
 * The mint is not tracked, so its prices come from lookups. An early lookup finds a price, but most later
 * lookups fail.
 */
const dying: World = {
  ...{ isKnown: false, trades: [], migratesAfter: 0, posts: calledInPool.posts },
  mood: { seed: 2, source: 'pool', failShare: 0.97, silentShare: 0, slowShare: 0, isStrange: false },
}

/**
 * The curve is about to be dropped, because it has had no trade for the full time. A call that becomes known
 * now is too late to keep the curve.
 */
const calledTooLate = (atSec: number): World => ({
  ...{ isKnown: true, trades: [{ gapSec: 0, level: 1 }], migratesAfter: 1 },
  posts: [{ atSec, chat: '100', post: 1, poster: '7', kind: 'call' }],
  mood: { seed: 0, source: 'aggregator', failShare: 0, silentShare: 0, slowShare: 0, isStrange: false },
})

describe('the rows of calls', () => {
  it('are those of a slow recount, over random lives, posts and answers', () => {
    const rows: Call[] = []
    fc.assert(
      fc.property(world, (drawn) => {
        rows.push(...compare(drawn, { tickMs: 60_000, delayMs: 0, isRestarted: false }))
      }),
      { numRuns: 60, examples: [[calledInPool], [dying], [calledTooLate(84_599)], [calledTooLate(84_600)]] },
    )
    const kinds: readonly (readonly [string, (row: Call) => boolean])[] = [
      ['done', ({ isDone }) => isDone],
      ['dead', ({ isDead }) => isDead],
      ['priced outside', ({ anchor }) => anchor?.source === 'aggregator'],
      ['without a price', ({ anchor }) => anchor === null],
      ['on the curve', ({ stage }) => stage?.startsWith('curve') === true],
      ['in the pool', ({ stage }) => stage?.startsWith('pool') === true],
    ]
    for (const [kind, isOfKind] of kinds) expect(rows.filter(isOfKind).length, kind).to.be.above(0)
  })

  it('do not depend on ticks, delays and restarts', () => {
    fc.assert(
      fc.property(world, delivery, (drawn, drawnDelivery) => {
        compare(drawn, drawnDelivery)
      }),
      { numRuns: 40 },
    )
  })

  it('have one first version each, which comes first', () => {
    fc.assert(
      fc.property(world, delivery, (drawn, drawnDelivery) => {
        const seen = new Set<number>()
        for (const { calledAtMs, isFirst } of versionsOf(tell(drawn, drawnDelivery).records)) {
          expect(isFirst).to.equal(!seen.has(calledAtMs))
          seen.add(calledAtMs)
        }
      }),
      { numRuns: 20 },
    )
  })
})

const [minuteMs, hourMs] = [60_000, 3_600_000]

/**
 * Each case changes one number of the rules. `said` has the form of a rules file, and `counted` has the form
 * of the recount's rules.
 */
const bents: readonly (readonly [path: string, said: object, counted: Partial<CallRules>])[] = [
  ['watchMs', { watchMs: 24 * hourMs }, { watchMs: 24 * hourMs }],
  ['sampleEveryMs', { sampleEveryMs: 20 * minuteMs }, { sampleEveryMs: 20 * minuteMs, deadAfter: 9, deadEvery: 3 }],
  ['deadAfterMs', { deadAfterMs: 10 * minuteMs }, { deadAfter: 1 }],
  ['deadSampleEveryMs', { deadSampleEveryMs: 2 * hourMs }, { deadEvery: 12 }],
  ['askedAnchorMs', { askedAnchorMs: 4_000 }, { askedAnchorMs: 4_000 }],
  ['askedMarksMin', { askedMarksMin: [1, 5, 15, 60] }, { askedMarksMin: [1, 5, 15, 60] }],
  ['askedScoresMax', { askedScoresMax: 1 }, { askedScoresMax: 1 }],
  ['anchorDelayMs', { anchorDelayMs: 60_000 }, { anchorDelayMs: 60_000 }],
  ['hits.winRet', { hits: { winRet: 0.01 } }, { win: 1.01 }],
  ['hits.lossRet', { hits: { lossRet: -0.05 } }, { stop: 0.95 }],
]

describe('the rows of calls under other rules', () => {
  const delivery = { tickMs: 60_000, delayMs: 0, isRestarted: false }
  const outcomeOf = (drawn: World, runnable: typeof chainB): string => {
    const { records } = tell(drawn, { ...delivery, runnable })
    return JSON.stringify([rowsOf(records), scoresOf(records)])
  }

  for (const [path, calls, changed] of bents)
    it(`are those of a slow recount by them, and not those of the default: ${path}`, () => {
      const runnable = createChainB(parseRules(JSON.stringify({ calls }), 'test'))
      let shown = 0
      fc.assert(
        fc.property(world, (drawn) => {
          compare(drawn, delivery, { runnable, rules: { ...callRules, ...changed } })
          if (outcomeOf(drawn, runnable) !== outcomeOf(drawn, chainB)) shown++
        }),
        // The seed is fixed, because the changed number must have an effect on at least one of these random
        // histories.
        { numRuns: 8, seed: 1, examples: [[calledInPool], [dying], [wonAfterAFall], [askedTwice]] },
      )
      expect(shown, 'lives that show it').to.be.above(0)
    })
})
