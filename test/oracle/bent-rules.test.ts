/**
 * Changes one number of the rules at a time, and runs the stage of chain A over logs of real contracts. The
 * result is compared with an oracle that uses the same changed number.
 */
import { expect } from 'chai'
import { parseRules } from '../../infra/parse-rules.ts'
import { createTestDriver } from '../../processors/runtime/test-driver.ts'
import { createChainA } from '../../processors/stages.ts'
import type { Burst, BurstOutcome } from '../../schemas/chain-a/derived.ts'
import { chainANumbers } from '../../schemas/chain-a/numbers.ts'
import { contractFacts } from '../support/contract-facts.ts'
import { readMarketFixture } from '../support/oracle/market-fixture.ts'
import { type OracleBurstRow, oracle } from '../support/oracle/oracle.ts'
import { type ExitRule, type OracleRules, oracleRules } from '../support/oracle/oracle-rules.ts'

const second = 1000
const minute = 60 * second
const hour = 60 * minute
const ether = 10n ** 18n

type Bent = readonly [path: string, said: object, counted: Partial<OracleRules>]

/**
 * Returns a change of one number of one exit rule. `said` is for the stage, and `counted` is for the oracle.
 */
const exit = (name: string, said: object, counted: ExitRule): Bent => [
  `outcomes.exits ${name} ${Object.keys(said)[0]}`,
  {
    outcomes: {
      exits: chainANumbers.outcomes.exits.map((one) => (one.name === name ? { ...one, ...said } : one)),
    },
  },
  { exits: { ...oracleRules.exits, [name]: { ...oracleRules.exits[name], ...counted } } },
]

const bents: readonly Bent[] = [
  ['bursts.windowMs', { bursts: { windowMs: 45 * second } }, { windowMs: 45 * second }],
  ['bursts.recentMs', { bursts: { recentMs: 60 * second } }, { stillBuyingMs: 60 * second }],
  ['bursts.main.inflowEthMin', { bursts: { main: { inflowEthMin: 1.2 } } }, { mainInflowWei: (12n * ether) / 10n }],
  ['bursts.main.buysMin', { bursts: { main: { buysMin: 13 } } }, { mainBuys: 13 }],
  ['bursts.lite.inflowEthMin', { bursts: { lite: { inflowEthMin: 0.7 } } }, { liteInflowWei: (7n * ether) / 10n }],
  ['bursts.lite.buysMin', { bursts: { lite: { buysMin: 7 } } }, { liteBuys: 7 }],
  ['bursts.youngMsMin', { bursts: { youngMsMin: 3 * minute } }, { ageMsMin: 3 * minute }],
  ['bursts.youngMsMax', { bursts: { youngMsMax: 5 * hour } }, { youngAgeMsMax: 5 * hour }],
  ['bursts.oldMsMax', { bursts: { oldMsMax: 6 * hour } }, { oldAgeMsMax: 6 * hour }],
  ['bursts.refireMs', { bursts: { refireMs: 3 * hour } }, { refireAfterMs: 3 * hour }],
  ['bursts.scriptedBuysMin', { bursts: { scriptedBuysMin: 11 } }, { scriptedBuys: 11 }],
  ['bursts.spreadTop3BpsMax', { bursts: { spreadTop3BpsMax: 3000 } }, { spreadTop3Bps: 3000n }],
  ['outcomes.lengthMs', { outcomes: { lengthMs: 10 * minute } }, { scoredAfterMs: 10 * minute }],
  ['outcomes.costRatio', { outcomes: { costRatio: 0.03 } }, { cost: 0.03 }],
  ['outcomes.stopRatio', { outcomes: { stopRatio: 0.9 } }, { stop: -0.1 }],
  exit('live', { fadeEth: 0.3 }, { fadeWei: (3n * ether) / 10n }),
  exit('live', { stallMs: 30 * second }, { stallMs: 30 * second }),
  exit('fade', { fadeEth: 0.3 }, { fadeWei: (3n * ether) / 10n }),
  exit('stall', { stallMs: 30 * second }, { stallMs: 30 * second }),
  exit('take-profit-50', { gainRatio: 1.2 }, { takeProfit: 0.2 }),
  exit('take-profit-100', { gainRatio: 1.3 }, { takeProfit: 0.3 }),
  exit('trail-20', { trailRatio: 0.9 }, { trail: 0.1 }),
  exit('time-5m', { afterMs: 2 * minute }, { timeMs: 2 * minute }),
  exit('time-10m', { afterMs: 3 * minute }, { timeMs: 3 * minute }),
]

type Counted = Readonly<Record<string, unknown>>

/** Rounds a number, because doubles may be summed in another order. */
const rounded = (value: number): number => Math.round(value * 1e8) / 1e8

const shownOf = (burst: Burst, outcome: BurstOutcome | null): Counted => ({
  ...{ pool: burst.pool, tier: burst.tier, at: burst.atMs, shape: burst.shape, buys: burst.buys, sells: burst.sells },
  ...{ inflowEth: rounded(Number(burst.inflowWei) / 1e18), sizeCV: rounded(burst.sizeCv) },
  outcome: outcome && {
    ...{ ret30m: rounded(outcome.ret30m), peakRet: rounded(outcome.peakRet), ruleRet: rounded(outcome.ruleRet) },
    byRule: Object.fromEntries(
      outcome.exits.map(({ rule, ret, why, sec }) => [rule, `${rounded(ret)} ${why.replaceAll('_', '-')} ${sec}`]),
    ),
  },
})

const countedOf = ({ pool, tier, at, shape, buys, sells, inflowEth, sizeCV, outcome }: OracleBurstRow): Counted => ({
  ...{ pool, tier, at, shape, buys, sells, inflowEth: rounded(inflowEth), sizeCV: rounded(sizeCV) },
  outcome: outcome && {
    ...{ ret30m: rounded(outcome.ret30m), peakRet: rounded(outcome.peakRet), ruleRet: rounded(outcome.ruleRet) },
    byRule: Object.fromEntries(
      Object.entries(outcome.byRule).map(([rule, { ret, why, sec }]) => [
        rule,
        `${rounded(ret)} ${why.replaceAll('+', '-')} ${sec}`,
      ]),
    ),
  },
})

const inOrder = (rows: readonly Counted[]): readonly string[] => rows.map((row) => JSON.stringify(row)).sort()

describe('the stage of chain A under other rules', () => {
  const facts = contractFacts()
  const { recording } = readMarketFixture()

  const derivedBy = (chainA: object): readonly string[] => {
    const driver = createTestDriver(createChainA(parseRules(JSON.stringify({ chainA }), 'test')))
    for (const { key, fact } of facts) driver.fact(key, fact)
    driver.tick(recording.head.atMs)
    const outputs = driver.outputs().map(({ record }) => record)
    const outcomes = outputs.flatMap((record) => (record.type === 'BurstOutcome' ? [record.data] : []))
    const rows = outputs.flatMap((record) => {
      if (record.type !== 'Burst') return []
      const { pool, tier, atMs } = record.data
      const outcome = outcomes.find((one) => one.pool === pool && one.tier === tier && one.atMs === atMs)
      return [shownOf(record.data, outcome ?? null)]
    })
    return inOrder(rows)
  }
  const countedBy = (counted: Partial<OracleRules>): readonly string[] =>
    inOrder(oracle(recording, { rules: { ...oracleRules, ...counted } }).bursts.map(countedOf))

  it('derives what the oracle counts by the default', () => {
    expect(derivedBy({})).to.deep.equal(countedBy({}))
  })

  for (const [path, said, counted] of bents)
    it(`derives what an oracle counts by them: ${path}`, () => {
      const expected = countedBy(counted)
      expect(derivedBy(said)).to.deep.equal(expected)
      expect(expected, 'the default would be seen').to.not.deep.equal(countedBy({}))
    })
})
