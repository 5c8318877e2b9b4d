import { expect } from 'chai'
import { type ChainBPrices, chainBPrices as prices } from '../../../processors/chain-b/prices.ts'
import type { ChainBFact } from '../../../schemas/chain-b/facts.ts'
import { second } from '../../support/build-facts.ts'
import {
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
} from '../../support/chain-b/build-facts.ts'

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
    expect(prices.deepest(state)).to.deep.equal({
      ...{ market: testCurve, source: 'curve', px: launchPx, depth: 0, openedAtMs: second(1), fill: 0 },
      supplyRaw: 1e15,
    })
    const trade = buildCurveTraded({ fill: 0.5 })
    expect(prices.onFact(state, trade)).to.equal(testCurve)
    const { virtualQuoteRaw, virtualTokenRaw, realQuoteRaw } = trade.data
    expect(prices.pxOf(state, testCurve)).to.equal(Number(virtualQuoteRaw) / 1e9 / Number(virtualTokenRaw))
    expect(prices.marketOf(state, testCurve)?.depth).to.be.closeTo(Number(realQuoteRaw) / 1e9, 1e-8)
    expect(prices.marketOf(state, testCurve)?.fill).to.be.closeTo(0.5, 1e-6)
    expect([prices.pxOf(state, testPool), prices.marketOf(state, testPool)]).to.deep.equal([null, null])
  })

  it('are those of its pool from the migration on', () => {
    const state = stateAfter(launched, migrated)
    expect(prices.onFact(stateAfter(launched), migrated)).to.equal(testPool)
    expect(prices.marketsOf(state)).to.deep.equal([
      {
        ...{ market: testPool, source: 'pool', px: poolPx, depth: 84.990359301, openedAtMs: second(9), fill: null },
        supplyRaw: 1e15,
      },
    ])
    expect(prices.onFact(state, buildPoolTraded({ poolQuoteRaw: lamports(100) }))).to.equal(testPool)
    expect(prices.marketOf(state, testPool)?.depth).to.equal(100)
    expect(prices.pxOf(state, testCurve)).to.equal(null)
    expect(prices.onFact(state, buildCurveMigrated({ pool: buildKey(1) }))).to.equal(null)
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
      expect(prices.deepest(state)?.px).to.equal(launchPx)
    })

  for (const [name, fact] of [
    ['late trades in the pool', late(buildPoolTraded({ poolQuoteRaw: 1n }))],
    ['the rest of a buy that completed the curve', buildPoolTraded({ poolQuoteRaw: 1n, isBeforeMigration: true })],
    ['trades on the curve after it', buildCurveTraded()],
  ] as const)
    it(`are not set by ${name}`, () => {
      const state = stateAfter(launched, migrated)
      expect(prices.onFact(state, fact)).to.equal(null)
      expect(prices.deepest(state)?.px).to.equal(poolPx)
    })

  it('are only those against SOL', () => {
    const state = stateAfter(buildCurveLaunched({ quoteMint: buildKey(5) }))
    expect(prices.onFact(state, buildCurveTraded({ quoteMint: buildKey(5) }))).to.equal(null)
    expect([prices.deepest(state), prices.marketsOf(state)]).to.deep.equal([null, []])
    expect(prices.isEmpty(state)).to.equal(false)
  })

  it('begin anew with a find, and need a known mint', () => {
    expect(prices.onFact(stateAfter(), buildCurveTraded())).to.equal(null)
    const state = stateAfter(launched, migrated)
    expect(prices.onFact(state, buildCurveFound({ supplyRaw: null }))).to.equal(testCurve)
    expect(prices.deepest(state)).to.include({ source: 'curve', supplyRaw: null, openedAtMs: null })
  })

  it('end when the stage closes the mint', () => {
    const data = { openedAtMs: second(1), closedAtMs: second(99) }
    const [open, other] = [stateAfter(launched, migrated), stateAfter(buildCurveLaunched({ quoteMint: buildKey(5) }))]
    expect(prices.onDerived(open, { type: 'Burst', data: {} } as never)).to.equal(null)
    expect(prices.onDerived(open, { type: 'MintClosed', data })).to.deep.equal({
      ...{ markets: [testPool], closedAtMs: second(99) },
    })
    expect(prices.onDerived(other, { type: 'MintClosed', data })).to.equal(null)
    for (const state of [open, other]) expect(state).to.deep.equal(prices.initialState())
  })
})
