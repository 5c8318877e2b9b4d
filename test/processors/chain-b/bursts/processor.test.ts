import { expect } from 'chai'
import { revisionOf } from '../../../../processors/chain-b/anatomy/question.ts'
import { bursts, createBursts } from '../../../../processors/chain-b/bursts/processor.ts'
import { mints } from '../../../../processors/chain-b/mints/processor.ts'
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

const hour = 3600
/** Each test launches its token at second 0, so the time of a trade is also the age of the token in seconds. */
const launched = [buildCurveLaunched({ blockAtMs: second(0) })]

/** Seconds of the signals. */
const signals = (records: readonly ChainBDerived[]): number[] =>
  records.flatMap(({ type, data }) => (type === 'Burst' ? [(data.atMs - testStartAtMs) / 1000] : []))

const firedBy = (...facts: readonly ChainBFact[]): number[] => signals(given(bursts, launched).when(...facts).records)

const buy = (atSec: number, fields: TradeFields = {}) =>
  buildCurveTraded({ blockAtMs: second(atSec), sol: 10, ...fields })

/** The limits of the rules are tested in `test/oracle/chain-b/scenes.test.ts`. */
describe('a burst of chain B', () => {
  it('judges a slot as a whole, over the trades up to its own', () => {
    const slot = { blockNumber: 5000, blockAtMs: second(600) }
    expect(firedBy(buy(600, slot), buy(600, { ...slot, sol: -1 }))).to.deep.equal([])
    const next = { blockNumber: 5001, blockAtMs: second(600) }
    expect(firedBy(buy(600, slot), buy(600, { ...next, sol: -1 }))).to.deep.equal([600])
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
