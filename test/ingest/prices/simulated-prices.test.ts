import { expect } from 'chai'
import type { OperationError } from '../../../infra/errors.ts'
import type { Lookup } from '../../../ingest/lookups/lookup.ts'
import type { FoundPrice } from '../../../ingest/prices/price-source.ts'
import { createSimulatedPrices, type PriceStep } from '../../../ingest/prices/simulated-prices.ts'
import { chainAPrices } from '../../../processors/chain-a/prices.ts'
import { chainBPrices } from '../../../processors/chain-b/prices.ts'
import type { ChainAFact } from '../../../schemas/chain-a/facts.ts'
import type { ChainBFact } from '../../../schemas/chain-b/facts.ts'
import { second, testToken } from '../../support/build-facts.ts'
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
  const steps: readonly PriceStep[] = [
    { atMs: hour(0), px: 1, source: 'curve' },
    { atMs: hour(2), px: 4, source: 'pool' },
    { atMs: hour(3), px: null, source: 'pool' },
  ]
  let playedCount: number
  const open = () => {
    playedCount = 0
    const readPrice = createSimulatedPrices((token) => {
      playedCount++
      return token === testToken ? steps : null
    })
    return (atMs: number, token = testToken) =>
      readPrice({ token, market: null, atMs }, never).catch(
        (error: OperationError) => `${error.code}: ${error.message}`,
      )
  }

  it('are those in force at the instant, with the change of the hour before', async () => {
    const at = open()
    expect(await at(hour(0))).to.deep.equal({ px: 1, source: 'curve', mcapUsd: null, change1h: null })
    expect(await at(hour(2) - 1)).to.include({ px: 1, change1h: 0 })
    expect(await at(hour(2))).to.deep.equal({ px: 4, source: 'pool', mcapUsd: null, change1h: 3 })
  })

  it('are none before the first, of a stranger, and where nothing can be traded', async () => {
    const at = open()
    expect(await at(hour(0) - 1)).to.equal('nothing_found: there is no such token')
    expect(await at(hour(1), '0x99')).to.equal('nothing_found: there is no such token')
    expect(await at(hour(3))).to.equal('nothing_found: the pool is empty')
  })

  it('are remembered once the last one is an hour old', async () => {
    const at = open()
    for (const hours of [2.5, 3, 3.5]) await at(hour(hours))
    expect(playedCount).to.equal(3)
    for (const hours of [4, 5, 48]) expect(await at(hour(hours))).to.equal('nothing_found: the pool is empty')
    expect(playedCount).to.equal(3)
  })
})

/** Long enough for pulls, graduations and the ends of lives. */
const span = { seed: 4, fromMs: Date.UTC(2026, 10, 20, 7), toMs: Date.UTC(2026, 10, 20, 13) }

describe('prices of the simulated markets', () => {
  const instants = [20, 65, 190, 359].map((minutes) => span.fromMs + minutes * 60_000)

  type Fact = Readonly<{ type: string; data: Readonly<{ blockAtMs: number }> }>
  type Keyed<Its extends Fact> = Readonly<{ key: string; fact: Its }>

  /** What the stage says of each token at the instant, and what the lookup says. Both in coin per raw token unit. */
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
      const question = { questionId: `${token}:${atMs}`, revision: 0, atMs, market: null, isAtPost: false }
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
        if (fact.type === 'CurveGraduated')
          chainAPrices.onDerived(state, { type: 'CurveClosed', data: { curve: fact.data.curve, closedAtMs: 0 } })
      }
      return chainAPrices.deepest(state)?.px ?? null
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
      return chainBPrices.deepest(state)?.px ?? null
    }
    for (const atMs of instants) {
      const { priced, empty } = await compare(facts, atMs, { pxIn, lookups })
      expect(priced).to.be.above(5)
      expect(empty).to.equal(0)
    }
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
