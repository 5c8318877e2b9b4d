import { expect } from 'chai'
import { type ChainBPrices, chainBPrices as prices } from '../../../../processors/chain-b/markets/prices.ts'
import type { ChainBFact } from '../../../../schemas/chain-b/facts.ts'
import { curveLifeMs, graduatedLifeMs } from '../../../../schemas/chain-b/mint-life.ts'
import { second } from '../../../support/builders/build-facts.ts'
import {
  buildCurveCompleted,
  buildCurveFound,
  buildCurveLaunched,
  buildCurveMigrated,
  buildCurveTraded,
  buildKey,
  buildPoolTraded,
  lamports,
  late,
  testCurve,
  testPool,
} from '../../../support/chain-b/build-facts.ts'

function stateAfter(...facts: readonly ChainBFact[]): ChainBPrices {
  const state = prices.initialState()
  for (const fact of facts) prices.onFact(state, fact)
  return state
}
const launched = buildCurveLaunched({ blockAtMs: second(1) })
const migrated = buildCurveMigrated({ blockAtMs: second(9) })
const launchPx = 30 / 1_073_000_000_000_000
const poolPx = 84.990359301 / 206_900_000_000_000

describe('the prices of a mint of chain B', () => {
  it('are the quotient of the virtual reserves, in SOL for a raw token', () => {
    const state = stateAfter(launched)
    expect(prices.marketOf(state, testCurve)).to.deep.equal({
      ...{ market: testCurve, source: 'curve', px: launchPx, depth: 0, openedAtMs: second(1), fill: 0 },
      ...{ supplyRaw: 1e15, forgottenAtMs: null, idleLifeMs: curveLifeMs },
    })
    const trade = buildCurveTraded({ fill: 0.5 })
    expect(prices.onFact(state, trade)).to.equal(testCurve)
    const { virtualQuoteRaw, virtualTokenRaw, realQuoteRaw } = trade.data
    expect(prices.pxOf(state, testCurve)).to.equal(Number(virtualQuoteRaw) / 1e9 / Number(virtualTokenRaw))
    expect(prices.marketOf(state, testCurve)?.depth).to.be.closeTo(Number(realQuoteRaw) / 1e9, 1e-8)
    expect(prices.marketOf(state, testCurve)?.fill).to.be.closeTo(0.5, 1e-6)
    expect(prices.fillOf(state, testCurve)).to.equal(prices.marketOf(state, testCurve)?.fill)
    expect(prices.pxOf(state, testPool)).to.equal(null)
    expect(() => prices.fillOf(state, testPool)).to.throw('the market is not the curve')
  })

  it('are those of its pool from the migration on', () => {
    const state = stateAfter(launched, migrated)
    expect(prices.onFact(stateAfter(launched), migrated)).to.equal(testPool)
    expect(prices.marketOf(state, testPool)).to.deep.equal({
      ...{ market: testPool, source: 'pool', px: poolPx, depth: 84.990359301, openedAtMs: second(9), fill: null },
      ...{ supplyRaw: 1e15, forgottenAtMs: second(9) + graduatedLifeMs, idleLifeMs: curveLifeMs },
    })
    expect(() => prices.marketOf(state, testCurve)).to.throw('no such market')
    expect(prices.onFact(state, buildPoolTraded({ poolQuoteRaw: lamports(100) }))).to.equal(testPool)
    expect(prices.marketOf(state, testPool)?.depth).to.equal(100)
    expect(prices.pxOf(state, testCurve)).to.equal(null)
    expect(prices.onFact(state, buildCurveMigrated({ pool: buildKey(1) }))).to.equal(null)
  })

  it('of a pool are forgotten 65 minutes after the curve was complete, not after the pool opened', () => {
    const completed = buildCurveCompleted({ blockAtMs: second(5) })
    const sold = buildCurveTraded({ blockAtMs: second(4), fill: 1 })
    const forgottenAtMs = (...facts: readonly ChainBFact[]) =>
      prices.marketOf(stateAfter(launched, ...facts, migrated), testPool)?.forgottenAtMs
    expect(forgottenAtMs(completed)).to.equal(second(5) + graduatedLifeMs)
    expect(forgottenAtMs(sold, completed)).to.equal(second(4) + graduatedLifeMs)
    expect(forgottenAtMs(late(completed))).to.equal(second(9) + graduatedLifeMs)
  })

  it('of a curve end where a fact says that it is complete', () => {
    const state = stateAfter(launched)
    const done: readonly ChainBFact[] = [buildCurveCompleted(), migrated, buildCurveTraded({ fill: 1 })]
    for (const fact of done) expect(prices.completedBy(state, fact), fact.type).to.equal(testCurve)
    expect(prices.completedBy(state, buildCurveTraded({ fill: 0.99 }))).to.equal(null)
    expect(prices.completedBy(state, late(buildCurveCompleted()))).to.equal(null)
    expect(prices.completedBy(stateAfter(), buildCurveCompleted())).to.equal(null)
  })

  for (const [name, fact] of [
    ['late trades', late(buildCurveTraded())],
    ['late migrations', late(buildCurveMigrated())],
    ['migrations against another coin', buildCurveMigrated({ quoteMint: buildKey(5) })],
    ['trades in a pool that is not open yet', buildPoolTraded()],
  ] as const)
    it(`are not set by ${name}`, () => {
      const state = stateAfter(launched)
      expect(prices.onFact(state, fact)).to.equal(null)
      expect(prices.pxOf(state, testCurve)).to.equal(launchPx)
    })

  for (const [name, fact] of [
    ['late trades in the pool', late(buildPoolTraded({ poolQuoteRaw: 1n }))],
    ['the rest of a buy that completed the curve', buildPoolTraded({ poolQuoteRaw: 1n, isBeforeMigration: true })],
    ['trades on the curve after it', buildCurveTraded()],
  ] as const)
    it(`are not set by ${name}`, () => {
      const state = stateAfter(launched, migrated)
      expect(prices.onFact(state, fact)).to.equal(null)
      expect(prices.pxOf(state, testPool)).to.equal(poolPx)
    })

  it('are only those against SOL', () => {
    const state = stateAfter(buildCurveLaunched({ quoteMint: buildKey(5) }))
    expect(prices.onFact(state, buildCurveTraded({ quoteMint: buildKey(5) }))).to.equal(null)
    expect(prices.pxOf(state, testCurve)).to.equal(null)
    expect(prices.isEmpty(state)).to.equal(false)
  })

  it('begin anew with a find, and need a known mint', () => {
    expect(prices.onFact(stateAfter(), buildCurveTraded())).to.equal(null)
    const state = stateAfter(launched, migrated)
    expect(prices.onFact(state, buildCurveFound({ supplyRaw: null }))).to.equal(testCurve)
    expect(prices.marketOf(state, testCurve)).to.include({ source: 'curve', supplyRaw: null, openedAtMs: null })
  })

  it('end with the market that the mint is in when the stage closes it', () => {
    const data = { openedAtMs: second(1), closedAtMs: second(99) }
    const closing = { closedAtMs: second(99), next: null }
    const curve = stateAfter(launched)
    const pool = stateAfter(launched, migrated)
    expect(prices.closingOf(curve, { type: 'MintClosed', data })).to.deep.equal({ market: testCurve, ...closing })
    expect(prices.closingOf(pool, { type: 'MintClosed', data })).to.deep.equal({ market: testPool, ...closing })
  })

  it('are forgotten with that market, and at once of a mint that has none', () => {
    const pool = stateAfter(launched, migrated)
    prices.forget(pool, testCurve)
    expect(prices.pxOf(pool, testPool)).to.equal(poolPx)
    prices.forget(pool, testPool)
    const other = stateAfter(buildCurveLaunched({ quoteMint: buildKey(5) }))
    expect(
      prices.closingOf(other, { type: 'MintClosed', data: { openedAtMs: second(1), closedAtMs: second(9) } }),
    ).to.equal(null)
    for (const state of [pool, other]) {
      expect(state).to.deep.equal(prices.initialState())
      expect(prices.isEmpty(state)).to.equal(true)
    }
  })

  it('say nothing of liquidity, because nobody can pull it', () => expect(prices.liquidity).to.equal(null))
})
