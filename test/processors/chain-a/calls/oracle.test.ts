import { isDeepStrictEqual } from 'node:util'
import { expect } from 'chai'
import fc from 'fast-check'
import { parseRules } from '../../../../infra/parse-rules.ts'
import { chainA, createChainA } from '../../../../processors/stages.ts'
import type { ChainADerived } from '../../../../schemas/chain-a/derived.ts'
import { second, testToken } from '../../../support/builders/build-facts.ts'
import { buildMention } from '../../../support/builders/build-mentions.ts'
import { alignDoubles } from '../../../support/oracle/align-doubles.ts'
import { linesOfChainA } from '../../../support/oracle/calls/chain-a.ts'
import { buyersOf, buysOf, precallOf, untrackedPrecall } from '../../../support/oracle/calls/precall.ts'
import { type CallRules, callRules } from '../../../support/oracle/calls/rules.ts'
import { keptMarkets, nextTick, rowsOf, scoresOf, type Told } from '../../../support/oracle/calls/watch.ts'
import {
  answering,
  type Delivery,
  delivery,
  factsOf,
  instantsOf,
  knownAtMsOf,
  senderOf,
  type Trading,
  tell,
  trading,
} from './random-calls.ts'

type Of<Type extends ChainADerived['type']> = Extract<ChainADerived, { type: Type }>

function dataOf<Type extends ChainADerived['type']>(told: ReturnType<typeof tell>, type: Type): Of<Type>['data'][] {
  return told.flatMap(({ record }) => (record.type === type ? [record.data as Of<Type>['data']] : []))
}

/** Sorts the fields by name, so that a difference is easy to read. */
const inOrder = (rows: readonly object[]): unknown =>
  rows.map((row) => Object.fromEntries(Object.entries(row).sort(([one], [other]) => (one < other ? -1 : 1))))

const types = ['Precall', 'PrecallSendersAsked', 'PrecallBuyers', 'CallScored'] as const
const contentOf = (told: ReturnType<typeof tell>) =>
  types.map((type) => told.filter(({ record }) => record.type === type).map(({ record }) => record))

const prompt: Delivery = { tickMs: 20_000, delayMs: 0, isRestarted: false }
const postSec = fc.oneof(fc.integer({ min: 0, max: 9000 }), fc.integer({ min: 0, max: 1500 }))

/**
 * The trades begin at second `ageSec` after the creation of the market, so the post is shifted by this age
 * too.
 */
const postedAtMsOf = ({ ageSec }: Trading, atSec: number): number => second(ageSec + atSec)

function toldOf(drawn: Trading, postedAtMs: number, rules: CallRules): Told {
  const delivered = prompt
  const tickAtMs = instantsOf(postedAtMs, delivered)
  const knownIn = tickAtMs.indexOf(knownAtMsOf(postedAtMs, delivered))
  return {
    ...{ token: testToken, lines: linesOfChainA(factsOf(drawn)), tickAtMs, rules },
    posts: [{ mention: buildMention({ postedAtMs }).data, knownIn }],
    answerTo: nextTick(tickAtMs, (atMs) => answering(drawn)(`${testToken}:${atMs}`)),
  }
}

const boughtIn = (drawn: Trading, told: Told) => ({
  markets: keptMarkets(told),
  all: buysOf(factsOf(drawn)),
  rules: told.rules,
})

function expectedPrecall(drawn: Trading, postedAtMs: number, told: Told) {
  const { rules } = told
  const precall = precallOf(boughtIn(drawn, told), postedAtMs)
  if (precall !== null) return precall
  const { price, answeredAtMs } = answering(drawn)(`${testToken}:${postedAtMs}`)
  const isInTime = answeredAtMs - postedAtMs <= rules.askedAnchorMs
  return untrackedPrecall(postedAtMs, isInTime ? (price?.change1h ?? null) : null, rules)
}

type Compared = Readonly<{ said: unknown; counted: unknown }>

/**
 * Compares the stage's records about a post with an independent recount. `runnable` is the stage, and `rules`
 * are the rules of the recount.
 */
function compared(
  drawn: Trading,
  atSec: number,
  { runnable, rules }: Readonly<{ runnable: typeof chainA; rules: CallRules }>,
): Compared & Readonly<{ scores: readonly Of<'CallScored'>['data'][] }> {
  const postedAtMs = postedAtMsOf(drawn, atSec)
  const told = tell(drawn, postedAtMs, { ...prompt, runnable })
  const asked = toldOf(drawn, postedAtMs, rules)
  const scores = dataOf(told, 'CallScored')
  const [call] = dataOf(told, 'Call').slice(-1)
  const precall = expectedPrecall(drawn, postedAtMs, asked)
  const buyers = buyersOf(boughtIn(drawn, asked), postedAtMs, senderOf)
  const said = {
    scores: inOrder(scores),
    precall: inOrder(dataOf(told, 'Precall')),
    buyers: dataOf(told, 'PrecallBuyers').map(({ wallets, sameBlockWallets, walletList, flags }) => ({
      ...{ wallets, sameBlockWallets, walletList, isCluster: flags.includes('cluster') },
    })),
    call: inOrder(call ? [call] : []),
  }
  const counted = {
    scores: inOrder(
      scoresOf(asked).map(({ mention, tick: _, ...score }) => {
        const { chat, post, chatName, poster, tokenCount } = mention
        return { postedAtMs, chat, post, chatName, poster, tokenCount, ...score }
      }),
    ),
    precall: inOrder([precall]),
    buyers: precall.isTracked ? [buyers] : [],
    call: inOrder(rowsOf(asked).map((row) => ({ ...call, ...row }))),
  }
  return { said: alignDoubles(said, counted), counted, scores }
}

describe('what is said of a post', () => {
  it('is what a slow recount says', () => {
    const scores: Of<'CallScored'>['data'][] = []
    fc.assert(
      fc.property(trading, postSec, (drawn, atSec) => {
        const { said, counted, ...told } = compared(drawn, atSec, { runnable: chainA, rules: callRules })
        expect(said).to.deep.equal(counted)
        scores.push(...told.scores)
      }),
      { numRuns: 150 },
    )
    const kinds: readonly (readonly [string, (score: Of<'CallScored'>['data']) => boolean])[] = [
      ['scored', ({ unscored }) => unscored === null],
      ['pulled', ({ ruggedAtMs }) => ruggedAtMs !== null],
      ['asked', ({ isAsked, unscored }) => isAsked && unscored === null],
      ['unscored', ({ unscored }) => unscored !== null],
    ]
    for (const [kind, isOfKind] of kinds) expect(scores.filter(isOfKind).length, kind).to.be.above(0)
  })

  it('counts the buys of the second in which a market opens, each once', () => {
    const buy = (gapMs: number) => ({ gapMs, kind: 'buy', pool: 0, size: 1 }) as const
    const drawn: Trading = {
      ...{ steps: [0, 0, 0, 0, 0, 1, 1, 0].map(buy), isLaunched: true, graduatesAfter: 5, ageSec: 0 },
      mood: { seed: 0, failShare: 0, slowShare: 0 },
    }
    const { said, counted } = compared(drawn, 1, { runnable: chainA, rules: callRules })
    expect(said).to.deep.equal(counted)
  })

  it('does not depend on when it became known, up to 15 minutes after it, nor on ticks and restarts', () => {
    fc.assert(
      fc.property(trading, postSec, delivery, (anyAge, atSec, drawnDelivery) => {
        // The market is new, so the stage is not about to drop it because of its age. Otherwise the result
        // would depend on when the post became known.
        const drawn = { ...anyAge, ageSec: 0 }
        const expected = contentOf(tell(drawn, second(atSec), prompt))
        expect(contentOf(tell(drawn, second(atSec), drawnDelivery))).to.deep.equal(expected)
      }),
      { numRuns: 60 },
    )
  })

  it('is never said before a tick has passed the post', () => {
    fc.assert(
      fc.property(trading, postSec, delivery, (drawn, atSec, drawnDelivery) => {
        const postedAtMs = postedAtMsOf(drawn, atSec)
        const told = tell(drawn, postedAtMs, drawnDelivery)
        const ofPost = told.filter(({ record }) => record.type === 'Call' || types.some((type) => type === record.type))
        expect(ofPost.every(({ tickAtMs }) => tickAtMs > postedAtMs)).to.equal(true)
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
  ['watchMs', { watchMs: hourMs }, { watchMs: hourMs }],
  ['sampleEveryMs', { sampleEveryMs: 5 * minuteMs }, { sampleEveryMs: 5 * minuteMs, deadAfter: 36, deadEvery: 12 }],
  ['rugLeftRatioMax', { rugLeftRatioMax: 0.9 }, { rugLeftMax: 0.9 }],
  ['askedAnchorMs', { askedAnchorMs: 4_000 }, { askedAnchorMs: 4_000 }],
  ['askedMarkMs', { askedMarkMs: 5_000 }, { askedMarkMs: 5_000 }],
  ['scoreMs', { scoreMs: 64 * minuteMs }, { scoreMs: 64 * minuteMs }],
  ['anchorDelayMs', { anchorDelayMs: 40_000 }, { anchorDelayMs: 40_000 }],
  ['hits.winRet', { hits: { winRet: 0.053 } }, { win: 1.053 }],
  ['hits.lossRet', { hits: { lossRet: -0.023 } }, { stop: 0.977 }],
  ['precallMs', { precallMs: 2 * minuteMs }, { precallMs: 2 * minuteMs }],
  ['runMs', { runMs: 5 * minuteMs }, { runMs: 5 * minuteMs }],
  ['runRatioMin', { runRatioMin: 1.1 }, { runLeast: 1.1 }],
  ['youngMs', { youngMs: 5 * minuteMs }, { youngMs: 5 * minuteMs }],
  ['clusterWallets', { clusterWallets: 1 }, { clusterWallets: 1 }],
  ['walletListMax', { walletListMax: 1 }, { walletListMax: 1 }],
]

const drawnBy = (...steps: readonly (readonly [gapSec: number, kind: string, size: number])[]): Trading => ({
  steps: steps.map(([gapSec, kind, size]) => ({ gapMs: 1000 * gapSec, kind, pool: 0, size })),
  ...{ isLaunched: false, graduatesAfter: 0, ageSec: 0, mood: { seed: 0, failShare: 0, slowShare: 0 } },
})

const examples: [Trading, number][] = [
  // A fall, then a win of 35 %.
  [drawnBy([10, 'nothing', 1], [60, 'sell', 10], [60, 'buy', 60]), 20],
  // The price moves after the hour.
  [drawnBy([10, 'nothing', 1], [3700, 'buy', 30]), 20],
]

describe('what is said of a post under other rules', () => {
  for (const [path, calls, changed] of bents)
    it(`is what a slow recount by them says, and not one by the default: ${path}`, () => {
      const runnable = createChainA(parseRules(JSON.stringify({ calls }), 'test'))
      let shown = 0
      fc.assert(
        fc.property(trading, postSec, (drawn, atSec) => {
          const { said, counted } = compared(drawn, atSec, { runnable, rules: { ...callRules, ...changed } })
          expect(said).to.deep.equal(counted)
          const byDefault = compared(drawn, atSec, { runnable, rules: callRules })
          if (!isDeepStrictEqual(byDefault.counted, counted)) shown++
        }),
        // The seed is fixed, because the changed number must have an effect on at least one of these random
        // histories.
        { numRuns: 30, seed: 1, examples },
      )
      expect(shown, 'markets that show it').to.be.above(0)
    })
})
