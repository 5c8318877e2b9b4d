import { expect } from 'chai'
import type { OperationError } from '../../../infra/errors.ts'
import type { Lookup } from '../../../ingest/lookups/lookup.ts'
import type { FoundPrice, PriceQuestion } from '../../../ingest/prices/price-source.ts'
import { createSimulatedPrices } from '../../../ingest/prices/simulated-prices.ts'
import type { MarketStep } from '../../../ingest/simulated/market/steps.ts'
import { chainAPrices } from '../../../processors/chain-a/markets/prices.ts'
import { chainBPrices } from '../../../processors/chain-b/markets/prices.ts'
import { isDeeper, type Market } from '../../../processors/markets/prices.ts'
import type { ChainAFact } from '../../../schemas/chain-a/facts.ts'
import type { ChainBFact } from '../../../schemas/chain-b/facts.ts'
import { second, testToken } from '../../support/builders/build-facts.ts'
import { groupBy } from '../../support/group-by.ts'
import {
  factsOf as chainAFacts,
  simulatorOver as chainAOver,
  rangesOf as chainARanges,
} from '../chain-a/simulated/tell.ts'
import {
  factsOf as chainBFacts,
  simulatorOver as chainBOver,
  rangesOf as chainBRanges,
} from '../chain-b/simulated/tell.ts'

const never = new AbortController().signal
const hour = (hours: number) => second(hours * 3600)

describe('prices of a simulated token', () => {
  const [curve, pool, other] = ['0x0c', '0x0d', '0x0e'] as const
  const inSeconds = (hours: number) => hour(hours) / 1000
  const steps: readonly MarketStep[] = [
    { second: inSeconds(0), market: curve, of: curve, source: 'curve', px: 1, depth: 2, left: 1 },
    { second: inSeconds(2), market: pool, of: curve, source: 'pool', px: 4, depth: 4, left: 1 },
    { second: inSeconds(2.5), market: other, of: other, source: 'pool', px: 5, depth: 1, left: 1 },
    { second: inSeconds(3), market: pool, of: curve, source: 'pool', px: null, depth: 0, left: 0 },
    { second: inSeconds(3.25), market: other, of: other, source: 'pool', px: null, depth: 0, left: 0 },
  ]
  let playedCount: number
  const open = (options = {}) => {
    playedCount = 0
    const readPrice = createSimulatedPrices((token) => {
      playedCount++
      return token === testToken ? steps : null
    }, options)
    return (atMs: number, asked: Partial<PriceQuestion> = {}) =>
      readPrice({ token: testToken, market: null, atMs, ...asked }, never).catch(
        (error: OperationError) => `${error.code}: ${error.message}`,
      )
  }

  it('are those in force at the instant, with the change of the hour before', async () => {
    const at = open()
    expect(await at(hour(0))).to.deep.equal({ px: 1, source: 'curve', mcapUsd: null, change1h: null })
    expect(await at(hour(2) - 1)).to.include({ px: 1, change1h: 0 })
    expect(await at(hour(2))).to.deep.equal({ px: 4, source: 'pool', mcapUsd: null, change1h: 3 })
  })

  it('are those of the deepest market that has one, or of the market that is named, without a change', async () => {
    const at = open()
    expect(await at(hour(2.5))).to.include({ px: 4 })
    expect(await at(hour(2.5), { market: other })).to.deep.equal({
      px: 5,
      source: 'pool',
      mcapUsd: null,
      change1h: null,
    })
    expect(await at(hour(3))).to.include({ px: 5 })
    expect(await at(hour(3), { market: pool })).to.equal('nothing_found: the pool is empty')
    expect(await at(hour(2.5), { market: '0x99' })).to.equal('nothing_found: there is no such market now')
  })

  it('of a complete curve are those of its pool where the node reads it there, else none', async () => {
    expect(await open()(hour(2), { market: curve })).to.equal('nothing_found: there is no such market now')
    expect(await open({ isReadWhereItGoesOn: true })(hour(2), { market: curve })).to.include({ px: 4 })
  })

  it('are none before the first, of a stranger, and where nothing can be traded', async () => {
    const at = open()
    expect(await at(hour(0) - 1000)).to.equal('nothing_found: there is no such token')
    expect(await at(hour(1), { token: '0x99' })).to.equal('nothing_found: there is no such token')
    expect(await at(hour(3.5))).to.equal('nothing_found: the pool is empty')
  })

  it('are remembered once the last one is an hour old', async () => {
    const at = open()
    for (const hours of [2.5, 3, 3.5, 5, 48]) await at(hour(hours))
    expect(playedCount).to.equal(1)
    expect(await at(hour(48))).to.equal('nothing_found: the pool is empty')
    expect(await at(hour(2.5))).to.include({ px: 4 })
  })
})

function deepestPx(markets: readonly (Market | null)[]): number | null {
  const priced = markets.filter((market) => market !== null)
  return priced.sort((one, other) => (isDeeper(one, other) ? -1 : 1))[0]?.px ?? null
}

/**
 * This span of simulated time is long enough for removals of liquidity, graduations and the last trades of
 * pools and mints.
 */
const span = { seed: 4, fromMs: Date.UTC(2026, 10, 20, 7), toMs: Date.UTC(2026, 10, 20, 13) }

describe('prices of the simulated markets', () => {
  const instants = [20, 65, 190, 359].map((minutes) => span.fromMs + minutes * 60_000)

  type Fact = Readonly<{ type: string; data: Readonly<{ blockAtMs: number }> }>
  type Keyed<Its extends Fact> = Readonly<{ key: string; fact: Its }>

  /**
   * Compares the stage's price of each token at a time with the price from the lookup. Both prices are in
   * coin per raw token unit.
   */
  async function compare<Its extends Fact>(
    facts: readonly Keyed<Its>[],
    atMs: number,
    { pxIn, lookups }: Readonly<{ pxIn: (facts: readonly Its[]) => number | null; lookups: readonly Lookup[] }>,
  ) {
    const tapes = groupBy(
      facts.filter(({ fact }) => fact.data.blockAtMs <= atMs),
      ({ key }) => key,
    )
    const lookup = lookups.find(({ questionType }) => questionType === 'PriceAsked')!
    const differing: unknown[] = []
    const counts = { priced: 0, empty: 0 }
    for (const [token, tape] of tapes) {
      const expected = pxIn(tape.map(({ fact }) => fact))
      if (expected === null) continue
      const question = { questionId: `${token}:${atMs}`, revision: 0, atMs, market: null, usefulMs: 300_000 }
      const found = await lookup
        .find(question, { signal: never, ageMs: () => 0 })
        .catch((error: Error) => error.message)
      if (found === 'the pool is empty') counts.empty++
      else {
        counts.priced++
        const { px } = (found as { found: FoundPrice }).found
        if (Math.abs(px / expected - 1) > 1e-9) differing.push({ token, expected, px })
      }
    }
    expect(differing).to.deep.equal([])
    return counts
  }

  it('are those of the stage of chain A at any instant; a pool that was emptied has none', async () => {
    const told = { ...span, launchesPerDay: 240 }
    const facts = chainAFacts(await chainARanges(told))
    const { lookups } = chainAOver(told)
    const pxIn = (tape: readonly ChainAFact[]) => {
      const state = chainAPrices.initialState()
      for (const fact of tape) {
        chainAPrices.onFact(state, fact)
        if (fact.type === 'CurveGraduated') chainAPrices.forget(state, fact.data.curve)
      }
      const { pools, curve } = state
      const names = [...pools.map(({ identity }) => identity.pool), ...(curve === null ? [] : [curve.curve])]
      return deepestPx(names.map((market) => chainAPrices.marketOf(state, market)))
    }
    const counts = []
    for (const atMs of instants) counts.push(await compare(facts, atMs, { pxIn, lookups }))
    expect(counts.at(-1)?.priced).to.be.above(30)
    expect(counts.at(-1)?.empty).to.be.above(3)
  })

  it('are those of the stage of chain B at any instant', async () => {
    const told = { ...span, launchesPerDay: 600 }
    const facts = chainBFacts(await chainBRanges(told))
    const { lookups } = chainBOver(told)
    const pxIn = (tape: readonly ChainBFact[]) => {
      const state = chainBPrices.initialState()
      for (const fact of tape) chainBPrices.onFact(state, fact)
      const { mint } = state
      return mint === null ? null : deepestPx([chainBPrices.marketOf(state, mint.pool?.pool ?? mint.curve)])
    }
    for (const atMs of instants) {
      const { priced, empty } = await compare(facts, atMs, { pxIn, lookups })
      expect(priced).to.be.above(5)
      expect(empty).to.equal(0)
    }
  })

  it('of a complete curve of chain B are those of the pool that it went to', async () => {
    const told = { ...span, launchesPerDay: 600 }
    const facts = chainBFacts(await chainBRanges(told))
    const curves = new Map(
      facts.flatMap(({ key, fact }) => (fact.type === 'CurveLaunched' ? [[key, fact.data.curve]] : [])),
    )
    const migrated = facts.flatMap(({ key, fact }) => {
      const curve = curves.get(key)
      return fact.type === 'CurveMigrated' && curve !== undefined ? [{ key, curve, pool: fact.data.pool }] : []
    })
    const lookup = chainBOver(told).lookups.find(({ questionType }) => questionType === 'PriceAsked')!
    const pxAt = async (key: string, market: string) => {
      const question = { questionId: `${key}:${span.toMs}`, revision: 0, atMs: span.toMs, market, usefulMs: 300_000 }
      const { found } = (await lookup.find(question, { signal: never, ageMs: () => 0 })) as { found: FoundPrice }
      return found.px
    }
    expect(migrated.length).to.be.above(0)
    for (const { key, curve, pool } of migrated.slice(0, 10))
      expect(await pxAt(key, curve)).to.equal(await pxAt(key, pool))
  })

  it('are known of a token two days after its life ended', async () => {
    const told = { ...span, launchesPerDay: 72 }
    const [first] = chainAFacts(await chainARanges(told))
    const lookup = chainAOver(told).lookups.find(({ questionType }) => questionType === 'PriceAsked')!
    const atMs = span.fromMs + 72 * 3_600_000
    const question = { questionId: `${first!.key}:${atMs}`, revision: 0, atMs, market: null }
    const found = await lookup.find(question, { signal: never, ageMs: () => 0 }).catch((error: Error) => error.message)
    expect(found === 'the pool is empty' || typeof found === 'object').to.equal(true)
  })
})
