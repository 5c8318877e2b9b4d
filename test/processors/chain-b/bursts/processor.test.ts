import { expect } from 'chai'
import { revisionOf } from '../../../../processors/chain-b/anatomy/question.ts'
import { bursts, createBursts } from '../../../../processors/chain-b/bursts/processor.ts'
import { mints } from '../../../../processors/chain-b/mints/processor.ts'
import { forSaleRaw } from '../../../../schemas/chain-b/curve.ts'
import type { ChainBDerived } from '../../../../schemas/chain-b/derived.ts'
import type { ChainBFact } from '../../../../schemas/chain-b/facts.ts'
import { chainBNumbers } from '../../../../schemas/chain-b/numbers.ts'
import { buildHash, second, testStartAtMs } from '../../../support/builders/build-facts.ts'
import {
  buildCurveCompleted,
  buildCurveFound,
  buildCurveLaunched,
  buildCurveMigrated,
  buildCurveTraded,
  buildGapFound,
  given,
  late,
  leftAt,
  reservesWith,
  type TradeFields,
  testMint,
} from '../../../support/chain-b/build-facts.ts'
import { drawTrades } from './draw-trades.ts'

const hour = 3600
/** Every test's token is launched at second 0, so that seconds are ages. */
const launched = [buildCurveLaunched({ blockAtMs: second(0) })]

/** Seconds of the signals. */
const signals = (records: readonly ChainBDerived[]): number[] =>
  records.flatMap(({ type, data }) => (type === 'Burst' ? [(data.atMs - testStartAtMs) / 1000] : []))

const firedBy = (...facts: readonly ChainBFact[]): number[] => signals(given(bursts, launched).when(...facts).records)

const buy = (atSec: number, fields: TradeFields = {}) =>
  buildCurveTraded({ blockAtMs: second(atSec), sol: 10, ...fields })

describe('a burst of chain B', () => {
  const cases: readonly [string, ChainBFact[], number[]][] = [
    ['fires at 10 SOL exactly', [buy(600)], [600]],
    ['does not fire a lamport below', [buy(600, { quoteRaw: 9_999_999_999n })], []],
    ['counts sells against buys', [buy(600), buy(601, { sol: -1 }), buy(602, { sol: 1 })], [600]],
    ['does not fire on sells', [buy(600, { sol: -12 }), buy(610, { sol: 3 })], []],
    ['fires at 5 min of age', [buy(300)], [300]],
    ['does not fire a millisecond younger', [buy(299.999)], []],
    ['fires at 4 h of age', [buy(4 * hour)], [4 * hour]],
    ['does not fire a millisecond older', [buy(4 * hour + 0.001)], []],
    ['counts buys from before the age of 5 min', [buy(241, { sol: 5 }), buy(300, { sol: 5 })], [300]],
    ['fires at a quarter of the tokens sold', [buy(600, { realTokenRaw: (forSaleRaw * 3n) / 4n })], [600]],
    ['does not fire one raw token below', [buy(600, { realTokenRaw: (forSaleRaw * 3n) / 4n + 1n })], []],
    ['fires at 55 % of the tokens sold', [buy(600, { realTokenRaw: (forSaleRaw * 45n) / 100n })], [600]],
    ['does not fire one raw token above', [buy(600, { realTokenRaw: (forSaleRaw * 45n) / 100n - 1n })], []],
  ]
  for (const [name, facts, expected] of cases) it(name, () => expect(firedBy(...facts)).to.deep.equal(expected))

  const drawn: readonly [string, string, number[]][] = [
    // a column is 5 s; the first is second 600
    ['counts the last 60 s, the first instant left out', '5...........5', []],
    ['counts what is 55 s old', '5..........5', [655]],
    ['adds up over the minute', '3..3..3..1', [645]],
    ['needs a buy in the last 15 s', '6.5....s', [610]],
    ['does not fire where the last 15 s have only a sell', '9..s', []],
    // the three sells leave the window, which lifts it over the threshold
    ['does not fire where the last 15 s sell as much as they buy', 'sss9.3.......s1', []],
    ['fires where they buy more', 'sss9.3.......s2', [670]],
  ]
  for (const [name, drawing, expected] of drawn)
    it(`${name}: ${drawing}`, () => expect(firedBy(...drawTrades(600, drawing))).to.deep.equal(expected))

  it('still buys 14.999 s after a buy, and no more after 15 s', () => {
    const rest = { sol: 0, quoteRaw: 0n }
    const start = [buy(600, { sol: 12, fill: 0.1 })]
    expect(firedBy(...start, buy(614.999, rest))).to.deep.equal([614.999])
    expect(firedBy(...start, buy(615, rest))).to.deep.equal([])
  })

  it('still buys with a single lamport more bought than sold, and not with as many', () => {
    const start = [buy(600, { sol: 12, fill: 0.1 }), buy(616, { quoteRaw: -5n, fill: 0.1 })]
    expect(firedBy(...start, buy(617, { quoteRaw: 6n }))).to.deep.equal([617])
    expect(firedBy(...start, buy(617, { quoteRaw: 5n }))).to.deep.equal([])
  })

  it('judges a slot as a whole, over the trades up to its own', () => {
    const slot = { blockNumber: 5000, blockAtMs: second(600) }
    expect(firedBy(buy(600, slot), buy(600, { ...slot, sol: -1 }))).to.deep.equal([])
    const next = { blockNumber: 5001, blockAtMs: second(600) }
    expect(firedBy(buy(600, slot), buy(600, { ...next, sol: -1 }))).to.deep.equal([600])
  })

  it('fires for one unscored burst at a time: again after 20 minutes, not at 20', () => {
    const again = (atSec: number) => firedBy(buy(600), buy(atSec))
    expect(again(700)).to.deep.equal([600])
    expect(again(1800)).to.deep.equal([600])
    expect(again(1800.001)).to.deep.equal([600, 1800.001])
    expect(firedBy(buy(600), buy(1790, { sol: 9.5 }), buy(1801, { sol: 0.5 }))).to.deep.equal([600, 1801])
  })

  it('does not fire in the slot that completes the curve, nor after it', () => {
    for (const done of [buildCurveCompleted, buildCurveMigrated])
      expect(firedBy(buy(600), done({ blockAtMs: second(600) }), buy(700))).to.deep.equal([])
  })

  it('does not fire for a curve against another coin, nor one whose launch nobody knows', () => {
    const quoteMint = buildHash(0xc01)
    const open: readonly ChainBFact[] = [
      buildCurveLaunched({ blockAtMs: second(0), quoteMint }),
      buildCurveFound({ blockAtMs: second(0), launchAtMs: null }),
    ]
    for (const opening of open) expect(signals(given(bursts, [opening]).when(buy(600)).records)).to.deep.equal([])
    expect(signals(given(bursts).when(buy(600)).records), 'never opened').to.deep.equal([])
  })

  it('fires for a found curve by the age since its launch, and anew after another find', () => {
    const found = (atSec: number) => buildCurveFound({ blockAtMs: second(atSec), launchAtMs: second(0) })
    const then = given(bursts, [found(500)]).when(buy(600), found(700), buy(701))
    expect(signals(then.records)).to.deep.equal([600, 701])
    expect(signals(given(bursts, [found(500)]).when(buy(600, { sol: 6 }), found(610), buy(620, { sol: 6 })).records)).to
      .be.empty
  })

  it('takes a launch that is told again for no trade', () => {
    expect(firedBy(buildCurveLaunched({ blockAtMs: second(590) }), buy(600))).to.deep.equal([600])
  })

  it('does not count late trades and gaps', () => {
    expect(firedBy(late(buy(600)), buildGapFound({ blockAtMs: second(600) }))).to.deep.equal([])
    expect(firedBy(buy(600, { sol: 9 }), late(buy(600, { sol: 5 })))).to.deep.equal([])
    expect(firedBy(buy(600), late(buildCurveCompleted({ blockAtMs: second(600) })))).to.deep.equal([600])
  })

  it('says what is known at the signal, and asks who holds the mint', () => {
    const slot = { blockNumber: 5000, blockHash: buildHash(0x5107), blockAtMs: second(600) }
    const first = buy(560, { sol: 4, realTokenRaw: leftAt(0.3), tokenRaw: 20_000_000_000_000n })
    const facts = [buy(500, { fill: 0.2 }), first, buy(600, { ...slot, sol: 6.5, fill: 0.5 })]
    const { virtualQuoteRaw } = reservesWith(leftAt(0.5))
    given(bursts, launched)
      .when(...facts)
      .emits([
        {
          type: 'Burst',
          data: {
            atMs: second(600),
            slot: 5000,
            slotHash: slot.blockHash,
            inflowLamports: 10_500_000_000n,
            windowSec: 60,
            fillFrom: 1 - (555_170_000_000_000 + 20_000_000_000_000) / 793_100_000_000_000,
            fillAt: 1 - 396_550_000_000_000 / 793_100_000_000_000,
            launchAtMs: second(0),
            virtualSol: Number(virtualQuoteRaw) / 1e9,
          },
        },
        {
          type: 'HoldersAsked',
          data: {
            questionId: `${testMint}:${second(600)}`,
            revision: revisionOf(slot.blockHash),
            atMs: second(600),
            slot: 5000,
            slotHash: slot.blockHash,
          },
        },
      ])
  })

  it('has its limits as parameters', () => {
    const at = (ageMsMin: number) =>
      signals(
        given(createBursts({ ...chainBNumbers, bursts: { ...chainBNumbers.bursts, ageMsMin } }), launched).when(buy(1))
          .records,
      )
    expect(at(0)).to.deep.equal([1])
    expect(at(1001)).to.deep.equal([])
  })

  it('keeps nothing of a mint that is closed', () => {
    const then = given([mints, bursts], launched)
      .when(buy(600))
      .wokenAt(second(26 * hour))
    expect(then.driver.counts()).to.deep.equal({ tokens: 0, timers: 0 })
  })
})
