import { expect } from 'chai'
import { bursts } from '../../../../processors/chain-b/bursts/processor.ts'
import type { BurstOutcome, ChainBDerived } from '../../../../schemas/chain-b/derived.ts'
import type { ChainBFact } from '../../../../schemas/chain-b/facts.ts'
import { second } from '../../../support/builders/build-facts.ts'
import {
  buildCurveCompleted,
  buildCurveFound,
  buildCurveLaunched,
  buildCurveMigrated,
  buildCurveTraded,
  given,
  late,
} from '../../../support/chain-b/build-facts.ts'

const signalSec = 600
const slot = { blockNumber: 1600, blockAtMs: second(signalSec) }
const past = [buildCurveLaunched({ blockAtMs: second(0) }), buildCurveTraded({ ...slot, sol: 10 })]
const trade = (atSec: number, fill: number, sol = 0.1) => buildCurveTraded({ blockAtMs: second(atSec), fill, sol })

const outcomesIn = (records: readonly ChainBDerived[]): BurstOutcome[] =>
  records.flatMap((record) => (record.type === 'BurstOutcome' ? [record.data] : []))

describe('the outcome of a burst on its curve', () => {
  it('is scored once 20 minutes have passed, with the trades of the last instant', () => {
    const before = given(bursts, past).when(trade(1800, 0.5))
    expect(outcomesIn(before.records)).to.deep.equal([])
    const [outcome] = outcomesIn(before.wokenAt(second(1800)).records)
    expect(outcome?.ret20m).to.be.above(0.2)
    const after = given(bursts, past).when(trade(1800.001, 0.5))
    expect(outcomesIn(after.records).map(({ ret20m }) => ret20m)).to.deep.equal([-0.025])
  })

  it('begins after the signal slot, within its second too', () => {
    const same = { ...slot, blockNumber: 1601 }
    const peakOf = (...facts: readonly ChainBFact[]) =>
      outcomesIn(
        given(bursts, past)
          .when(...facts)
          .wokenAt(second(1800)).records,
      )[0]?.peakRet
    expect(peakOf(buildCurveTraded({ ...same, fill: 0.5 }))).to.be.above(0.2)
    expect(peakOf(late(buildCurveTraded({ ...same, fill: 0.5 })))).to.equal(-0.025)
  })

  for (const [name, end] of [
    ['completed', buildCurveCompleted],
    ['migrated', buildCurveMigrated],
    ['sold out', (place: typeof slot) => buildCurveTraded({ ...place, realTokenRaw: 0n })],
  ] as const)
    it(`is scored at the end of the slot in which the curve is ${name}`, () => {
      const place = { blockNumber: 1700, blockAtMs: second(700) }
      const [outcome] = outcomesIn(given(bursts, past).when(end(place), trade(710, 0.9)).records)
      expect(outcome?.completedAtMs).to.equal(second(700))
      expect(outcome?.ret20m).to.equal(null)
    })

  it('is of the price before the fact that completes the curve, whatever stands behind it in the slot', () => {
    const place = { blockNumber: 1700, blockAtMs: second(700) }
    const facts = [trade(690, 0.5), buildCurveCompleted(place), buildCurveTraded({ ...place, fill: 0.9 })]
    const [outcome] = outcomesIn(given(bursts, past).when(...facts).records)
    const [alone] = outcomesIn(given(bursts, past).when(...facts.slice(0, 2)).records)
    expect(outcome).to.deep.equal(alone)
    expect(outcome?.gradRet).to.be.above(0.2)
    expect(outcome?.peakRet).to.equal(outcome?.gradRet)
  })

  it('goes on beyond the age at which a burst can fire', () => {
    const oldest = buildCurveTraded({ blockAtMs: second(4 * 3600), sol: 10 })
    const opened = given(bursts, [buildCurveLaunched({ blockAtMs: second(0) })]).when(oldest, trade(4 * 3600 + 60, 0.5))
    expect(outcomesIn(opened.wokenAt(second(5 * 3600)).records)[0]?.peakRet).to.be.above(0.2)
  })

  it('is not scored for a curve that is found again', () => {
    for (const launchAtMs of [second(0), null]) {
      const found = buildCurveFound({ blockAtMs: second(700), launchAtMs })
      expect(outcomesIn(given(bursts, past).when(found).wokenAt(second(1900)).records)).to.deep.equal([])
    }
  })
})
