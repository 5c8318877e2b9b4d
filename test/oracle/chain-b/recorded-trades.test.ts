/** Compares the stage of chain B with the oracle over the recorded trades of three mints, one log per mint. */
import { expect } from 'chai'
import { createBursts } from '../../../processors/chain-b/bursts/processor.ts'
import { createTestDriver } from '../../../processors/runtime/test-driver.ts'
import { chainB } from '../../../processors/stages.ts'
import { chainBNumbers } from '../../../schemas/chain-b/numbers.ts'
import { rulesVersion } from '../../../schemas/chain-b/rules.ts'
import type { ChainBTypes } from '../../../schemas/chain-b/stage.ts'
import { answeredLog } from '../../replay/answered-log.ts'
import { drive } from '../../replay/canonical-log.ts'
import type { KeyedRecord } from '../../replay/keyed-record.ts'
import { buildTick } from '../../support/builders/build-facts.ts'
import { buildCurveLaunched } from '../../support/chain-b/build-facts.ts'
import { holdersLookup } from '../../support/chain-b/market.ts'
import { recordedMarket } from '../../support/chain-b/recorded-market.ts'
import { groupBy } from '../../support/group-by.ts'
import { minutesIn } from '../../support/oracle/calls/chain-b-minutes.ts'
import { bentRules } from '../../support/oracle/chain-b/bent-rules.ts'
import { recordsIn } from '../../support/oracle/chain-b/records.ts'
import { type Rules, rules as rulesAsTheyAre } from '../../support/oracle/chain-b/rules.ts'
import { differencesOf, rowDifferences } from './differences.ts'

type Records = readonly KeyedRecord<ChainBTypes>[]

const trades = recordedMarket().flatMap(({ facts }) =>
  facts.flatMap(({ key, fact }) => (fact.type === 'CurveTraded' ? [{ key, fact }] : [])),
)
const byMint = groupBy(trades, ({ key }) => key)

/**
 * Returns, for each mint, a launch, all trades, and a tick after each slot. `olderSec` moves the launch back.
 */
const tapes = (olderSec: number): readonly Records[] =>
  [...byMint].map(([key, its]) => {
    const first = its[0]!.fact.data
    const launch = { blockNumber: first.blockNumber - 1 - olderSec, blockAtMs: first.blockAtMs - olderSec * 1000 }
    let seq = 0
    const tick = (blockNumber: number, blockAtMs: number) => ({
      key: 'tick',
      record: { type: 'Tick' as const, data: buildTick({ seq: ++seq, blockNumber, blockAtMs, rulesVersion }) },
    })
    const records = its.flatMap(({ fact }, index) => {
      const { blockNumber, blockAtMs } = fact.data
      const isLast = its[index + 1]?.fact.data.blockNumber !== blockNumber
      return isLast ? [{ key, record: fact }, tick(blockNumber, blockAtMs)] : [{ key, record: fact }]
    })
    const last = its.at(-1)!.fact.data
    const ends = [1, 30, 1600].map((minutes) => tick(last.blockNumber + minutes, last.blockAtMs + minutes * 60_000))
    return [{ key, record: buildCurveLaunched(launch) }, ...records, ...ends]
  })

const withAgeMin = (ageMsMin: number) => ({
  ...chainB,
  processors: chainB.processors.map((processor) =>
    processor.name === 'bursts'
      ? createBursts({ ...chainBNumbers, bursts: { ...chainBNumbers.bursts, ageMsMin } })
      : processor,
  ),
})

const derive = (parts: typeof chainB, tape: Records) => {
  const log = answeredLog(parts, tape, holdersLookup)
  const derived = drive(parts.stage, createTestDriver(parts), log)
  return { log, derived, bursts: derived.filter(({ record }) => record.type === 'Burst').length }
}

describe('the stage of chain B over the recorded trades', () => {
  it('fires no burst by the age rule as it is', () => {
    for (const tape of tapes(0)) expect(derive(chainB, tape).bursts).to.equal(0)
  })

  const settings: readonly (readonly [string, typeof chainB, readonly Records[], Rules])[] = [
    ['without an age limit', withAgeMin(0), tapes(0), { ...rulesAsTheyAre, ageMsMin: 0 }],
    ['on a tape whose launch is ten minutes earlier', chainB, tapes(600), rulesAsTheyAre],
  ]
  for (const [name, parts, its, rules] of settings) {
    const runs = its.map((tape) => derive(parts, tape))

    it(`derives what the oracle counts, at least two bursts with anatomy and outcome, ${name}`, () => {
      for (const { log, derived } of runs) expect(differencesOf(derived, recordsIn(log, rules))).to.deep.equal([])
      const types = runs.flatMap(({ derived }) => derived.map(({ record }) => record.type))
      const count = (type: string) => types.filter((its) => its === type).length
      expect(count('Burst')).to.be.at.least(2)
      expect([count('BurstAnatomy'), count('BurstOutcome')]).to.deep.equal([count('Burst'), count('Burst')])
    })

    it(`sums up the trades of each minute as the oracle does, ${name}`, () => {
      for (const { log, derived } of runs) {
        const minutes = derived.filter(({ record }) => record.type === 'MintMinute')
        expect(minutes.length).to.be.at.least(3)
        const counted = minutesIn(log, rules).map(
          ({ token, minute: data }) => ({ token, record: { type: 'MintMinute', data } }) as const,
        )
        expect(rowDifferences(minutes, counted)).to.deep.equal([])
      }
    })

    it(`shows at least ten rules that were bent, ${name}`, () => {
      const shown = bentRules.filter((mutation) => {
        const bent = mutation.rules.ageMsMin === rulesAsTheyAre.ageMsMin ? { ageMsMin: rules.ageMsMin } : {}
        return runs.some(
          ({ log, derived }) => differencesOf(derived, recordsIn(log, { ...mutation.rules, ...bent })).length > 0,
        )
      })
      expect(shown.length, shown.map((mutation) => mutation.name).join(', ')).to.be.at.least(10)
    })
  }
})
