/**
 * Changes one number of the rules at a time, and runs the stage of chain B. The result is compared with an
 * oracle: independent code that uses the same changed number.
 */
import { expect } from 'chai'
import { parseRules } from '../../../infra/parse-rules.ts'
import { createTestDriver } from '../../../processors/runtime/test-driver.ts'
import { createChainB } from '../../../processors/stages.ts'
import { chainBNumbers } from '../../../schemas/chain-b/numbers.ts'
import { drive } from '../../replay/canonical-log.ts'
import { curveMarket } from '../../support/chain-b/market.ts'
import { recordsIn } from '../../support/oracle/chain-b/records.ts'
import { type ExitRule, type Rules, rules, withExits } from '../../support/oracle/chain-b/rules.ts'
import { differencesOf } from './differences.ts'

const sol = 1_000_000_000
const second = 1000
const minute = 60 * second

type Bent = readonly [path: string, said: object, counted: Partial<Rules>]

/** Changes one number of one exit. */
const exit = (name: string, said: object, counted: Omit<ExitRule, 'name'>): Bent => {
  const { exits } = chainBNumbers.outcomes
  return [
    `outcomes.exits ${name} ${Object.keys(said)[0]}`,
    { outcomes: { exits: exits.map((one) => (one.name === name ? { ...one, ...said } : one)) } },
    withExits({ [name]: counted }),
  ]
}

const bents: readonly Bent[] = [
  ['bursts.windowMs', { bursts: { windowMs: 40 * second } }, { windowMs: 40 * second }],
  ['bursts.recentMs', { bursts: { recentMs: 60 * second } }, { recentMs: 60 * second }],
  ['bursts.inflowLamportsMin', { bursts: { inflowLamportsMin: 13 * sol } }, { inflowLamports: 13n * BigInt(sol) }],
  ['bursts.ageMsMin', { bursts: { ageMsMin: 4 * minute } }, { ageMsMin: 4 * minute }],
  ['bursts.ageMsMax', { bursts: { ageMsMax: 180 * minute } }, { ageMsMax: 180 * minute }],
  ['bursts.fillBpsMin', { bursts: { fillBpsMin: 4000 } }, { fillPercentMin: 40n }],
  ['bursts.fillBpsMax', { bursts: { fillBpsMax: 3500 } }, { fillPercentMax: 35n }],
  ['anatomy.delayMs', { anatomy: { delayMs: 10 * minute } }, { anatomyDelayMs: 10 * minute }],
  ['anatomy.bundleBuysMin', { anatomy: { bundleBuysMin: 3 } }, { bundleBuys: 3 }],
  ['outcomes.lengthMs', { outcomes: { lengthMs: 5 * minute } }, { outcomeMs: 5 * minute }],
  ['outcomes.costRatio', { outcomes: { costRatio: 0.026 } }, { costs: 0.026 }],
  ['outcomes.stopRatio', { outcomes: { stopRatio: 0.95 } }, { stop: 0.95 }],
  exit('live', { fadeLamports: 4 * sol }, { fadeLamports: 4n * BigInt(sol) }),
  exit('fade-2', { fadeLamports: 3 * sol }, { fadeLamports: 3n * BigInt(sol) }),
  exit('stall', { stallMs: 20 * second }, { stallMs: 20 * second }),
  exit('take-profit-50', { gainRatio: 1.1 }, { gain: 1.1 }),
  exit('take-profit-100', { gainRatio: 1.2 }, { gain: 1.2 }),
  exit('trail-20', { trailRatio: 0.97 }, { trail: 0.97 }),
  exit('time-5m', { afterMs: 2 * minute }, { afterMs: 2 * minute }),
  exit('time-10m', { afterMs: 3 * minute }, { afterMs: 3 * minute }),
  ['graduations.pathMinutes', { graduations: { pathMinutes: 30 } }, { pathMinutes: 30 }],
  ['mints.curveLifeMs', { mints: { curveLifeMs: 300 * minute } }, { idleLifeMs: 300 * minute }],
  ['mints.graduatedLifeMs', { mints: { graduatedLifeMs: 62 * minute } }, { graduatedLifeMs: 62 * minute }],
]

describe('the stage of chain B under other rules', () => {
  const markets = [1, 2].map((seed) => curveMarket(seed))
  const differences = (chainB: object, counted: Partial<Rules>) => {
    const { stage, ...runnable } = createChainB(parseRules(JSON.stringify({ chainB }), 'test'))
    return markets.flatMap((log) => {
      const derived = drive(stage, createTestDriver({ stage, ...runnable }), log)
      return differencesOf(derived, recordsIn(log, { ...rules, ...counted }))
    })
  }

  for (const [path, said, counted] of bents) {
    it(`derives what an oracle counts by them: ${path}`, () => {
      expect(differences(said, counted)).to.deep.equal([])
    })

    it(`would be seen to count by those of the default: ${path}`, () => {
      expect(differences(said, {})).to.not.deep.equal([])
    })
  }
})
