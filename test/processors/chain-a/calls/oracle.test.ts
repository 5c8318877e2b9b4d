import { expect } from 'chai'
import fc from 'fast-check'
import type { ChainADerived } from '../../../../schemas/chain-a/derived.ts'
import { second, testToken } from '../../../support/build-facts.ts'
import { buildMention } from '../../../support/build-mentions.ts'
import { linesOfChainA } from '../../../support/oracle/calls/chain-a.ts'
import { buyersOf, buysOf, precallOf, untrackedPrecall } from '../../../support/oracle/calls/precall.ts'
import { callRules } from '../../../support/oracle/calls/rules.ts'
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

/** Doubles may be summed in another order. */
const rounded = (value: unknown): unknown =>
  JSON.parse(
    JSON.stringify(value, (_, each) => {
      if (typeof each === 'bigint') return `${each}`
      return typeof each === 'number' && !Number.isInteger(each) ? Number(each.toPrecision(9)) : each
    }),
  )

/** Fields in one order, so that a difference is easy to read. */
const inOrder = (rows: readonly object[]): unknown =>
  rounded(rows.map((row) => Object.fromEntries(Object.entries(row).sort(([one], [other]) => (one < other ? -1 : 1)))))

const types = ['Precall', 'PrecallSendersAsked', 'PrecallBuyers', 'CallScored'] as const
const contentOf = (told: ReturnType<typeof tell>) =>
  types.map((type) => told.filter(({ record }) => record.type === type).map(({ record }) => record))

const prompt: Delivery = { tickMs: 20_000, delayMs: 0, isRestarted: false }
const postSec = fc.integer({ min: 0, max: 9000 })

/** Of a market that is old, the post is as much later. */
const postedAtMsOf = ({ ageSec }: Trading, atSec: number): number => second(ageSec + atSec)

function toldOf(drawn: Trading, postedAtMs: number, delivered: Delivery): Told {
  const tickAtMs = instantsOf(postedAtMs, delivered)
  const knownIn = tickAtMs.indexOf(knownAtMsOf(postedAtMs, delivered))
  return {
    ...{ token: testToken, lines: linesOfChainA(factsOf(drawn)), tickAtMs, rules: callRules },
    posts: [{ mention: buildMention({ postedAtMs }).data, knownIn }],
    answerTo: nextTick(tickAtMs, (atMs) => answering(drawn)(`${testToken}:${atMs}`)),
  }
}

function expectedPrecall(drawn: Trading, postedAtMs: number, told: Told) {
  const precall = precallOf(keptMarkets(told), buysOf(factsOf(drawn)), postedAtMs)
  if (precall !== null) return precall
  const { price, answeredAtMs } = answering(drawn)(`${testToken}:${postedAtMs}`)
  return untrackedPrecall(postedAtMs, answeredAtMs - postedAtMs <= 15_000 ? (price?.change1h ?? null) : null)
}

describe('what is said of a post', () => {
  it('is what a slow recount says', () => {
    const scores: Of<'CallScored'>['data'][] = []
    fc.assert(
      fc.property(trading, postSec, (drawn, atSec) => {
        const postedAtMs = postedAtMsOf(drawn, atSec)
        const told = tell(drawn, postedAtMs, prompt)
        const counted = toldOf(drawn, postedAtMs, prompt)
        const said = dataOf(told, 'CallScored')
        const expected = scoresOf(counted).map(({ mention, tick: _, ...score }) => {
          const { chat, post, chatName, poster, tokenCount } = mention
          return { postedAtMs, chat, post, chatName, poster, tokenCount, ...score }
        })
        expect(inOrder(said)).to.deep.equal(inOrder(expected))
        scores.push(...said)
        const precall = expectedPrecall(drawn, postedAtMs, counted)
        expect(rounded(dataOf(told, 'Precall'))).to.deep.equal(rounded([precall]))
        const buyers = dataOf(told, 'PrecallBuyers').map(({ flags, postedAtMs: _, ...rest }) => rest)
        const buys = buysOf(factsOf(drawn))
        expect(buyers).to.deep.equal(
          precall.isTracked ? [buyersOf({ markets: keptMarkets(counted), all: buys }, postedAtMs, senderOf)] : [],
        )
        const [call] = dataOf(told, 'Call').slice(-1)
        const rows = rowsOf(counted).map((row) => ({ ...call, ...row }))
        expect(inOrder(call ? [call] : [])).to.deep.equal(inOrder(rows))
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

  it('does not depend on when it became known, up to 15 minutes after it, nor on ticks and restarts', () => {
    fc.assert(
      fc.property(trading, postSec, delivery, (anyAge, atSec, drawnDelivery) => {
        // Of a market that is about to be forgotten it matters when the post became known.
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
