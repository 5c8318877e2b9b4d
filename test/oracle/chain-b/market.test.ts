/** Compares the stage of chain B with an oracle that was written from the text of the rules. */
import { expect } from 'chai'
import { createTestDriver } from '../../../processors/runtime/test-driver.ts'
import { chainB } from '../../../processors/stages.ts'
import { drive } from '../../replay/canonical-log.ts'
import { curveMarket } from '../../support/chain-b/market.ts'
import { bentRules } from '../../support/oracle/chain-b/bent-rules.ts'
import { recordsIn } from '../../support/oracle/chain-b/records.ts'
import { rules as rulesAsTheyAre } from '../../support/oracle/chain-b/rules.ts'
import { differencesOf } from './differences.ts'

const seeds = Array.from({ length: Number(process.env.ORACLE_SEEDS ?? 4) }, (_, index) => index + 1)

describe('the stage of chain B over a market of curves', () => {
  const markets = seeds.map((seed) => {
    const log = curveMarket(seed)
    return { seed, log, derived: drive(chainB.stage, createTestDriver(chainB), log) }
  })

  for (const { seed, log, derived } of markets)
    it(`derives what an oracle counts, field by field (market ${seed})`, () => {
      expect(differencesOf(derived, recordsIn(log, rulesAsTheyAre))).to.deep.equal([])
    })

  it('meets every kind of exit, and both kinds of price', () => {
    const outcomes = markets.flatMap(({ derived }) =>
      derived.flatMap(({ record }) => (record.type === 'BurstOutcome' ? [record.data] : [])),
    )
    const whys = new Set(outcomes.flatMap(({ exits }) => exits.map(({ why }) => why)))
    expect([...whys].sort()).to.deep.equal(
      ['burst_fade', 'burst_stall', 'graduated', 'held', 'stop', 'take_profit', 'time', 'trail'].sort(),
    )
    expect(new Set(outcomes.map(({ isNonStandardCurve }) => isNonStandardCurve))).to.have.property('size', 2)
  })

  for (const { name, rules } of bentRules)
    it(`shows a rule that was bent: ${name}`, () => {
      const isShown = markets.some(({ log, derived }) => differencesOf(derived, recordsIn(log, rules)).length > 0)
      expect(isShown).to.equal(true)
    })
})
