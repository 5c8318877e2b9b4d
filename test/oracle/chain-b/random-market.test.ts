/** Compares the stage of chain B with the oracle on random trades. */
import assert from 'node:assert/strict'
import fc from 'fast-check'
import type { TokenOutput } from '../../../processors/runtime/token-entry.ts'
import type { ChainBDerived } from '../../../schemas/chain-b/derived.ts'
import type { ChainBFact } from '../../../schemas/chain-b/facts.ts'
import { chainBStage } from '../../../schemas/chain-b/stage.ts'
import { isFact } from '../../replay/keyed-record.ts'
import { groupBy } from '../../support/group-by.ts'
import { minutesIn } from '../../support/oracle/calls/chain-b-minutes.ts'
import { copyRecordsOf } from '../../support/oracle/chain-b/copy-records.ts'
import { recordsIn } from '../../support/oracle/chain-b/records.ts'
import { rules } from '../../support/oracle/chain-b/rules.ts'
import { storiesIn } from '../../support/oracle/chain-b/stories.ts'
import { tradeGapsOf } from '../../support/oracle/chain-b/trade-gaps.ts'
import { randomCurves } from '../../support/oracle/random/chain-b-market.ts'
import { askedByCalls, safetyIn } from '../../support/oracle/random/expected-safety.ts'
import { type DerivedMarket, deriveMarket } from './derive-random-market.ts'
import { rowDifferences } from './differences.ts'

type Rows = readonly TokenOutput<ChainBDerived>[]

/** The types that the oracle computes. */
const counted = new Set<ChainBDerived['type']>([
  ...([
    'MintOpened',
    'MintClosed',
    'MintMinute',
    'Burst',
    'BurstAnatomy',
    'BurstOutcome',
    'Graduation',
    'GraduationPost',
  ] as const),
  ...(['SafetyAsked', 'Safety', 'CopyOpened', 'CopyClosed', 'TradeGap'] as const),
])

function countedIn(market: DerivedMarket): Rows {
  const { log } = market
  const facts = groupBy(
    log.flatMap(({ key, record }) => (isFact(chainBStage, record) ? [{ key, fact: record as ChainBFact }] : [])),
    ({ key }) => key,
  )
  const stories = groupBy(storiesIn(log, rules), ({ mint }) => mint)
  const rowsOf = (token: string, records: readonly ChainBDerived[]) => records.map((record) => ({ token, record }))
  const perMint = [...stories].flatMap(([mint, its]) => {
    const gaps = tradeGapsOf(facts.get(mint)?.map(({ fact }) => fact) ?? [], its)
    return rowsOf(mint, [
      ...its.flatMap((story) => copyRecordsOf(story)),
      ...gaps.map((data): ChainBDerived => ({ type: 'TradeGap', data })),
    ])
  })
  const minutes = minutesIn(log, rules).map(({ token, minute: data }) => ({
    token,
    record: { type: 'MintMinute', data } as const,
  }))
  return [...recordsIn(log, rules), ...minutes, ...perMint, ...askedByCalls(market), ...safetyIn(market)]
}

/**
 * Sorts the requests for safety reports before the comparison. For calls, the stage makes these requests at
 * other positions, in the ticks of their posts.
 */
const nameOf = ({ record }: TokenOutput<ChainBDerived>): string =>
  record.type === 'SafetyAsked' ? record.data.questionId : ''
const sorted = (rows: Rows): Rows => [...rows].sort((one, other) => nameOf(one).localeCompare(nameOf(other)))

describe('the stage of chain B on random markets', () => {
  it('derives the bursts, outcomes, graduations, copies, gaps and reports that the oracle counts', () =>
    fc.assert(
      fc.property(fc.nat(1e6), (seed) => {
        const market = deriveMarket(randomCurves(seed))
        const derived = market.told.flat().filter(({ record }) => counted.has(record.type))
        assert.deepEqual(rowDifferences(sorted(derived), sorted(countedIn(market))).slice(0, 2), [])
      }),
      { numRuns: 12, endOnFailure: true },
    ))
})
