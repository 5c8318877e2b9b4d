import { expect } from 'chai'
import { type ChainAPrices, chainAPrices as prices } from '../../../processors/chain-a/prices.ts'
import type { ChainAFact } from '../../../schemas/chain-a/facts.ts'
import { buildCurveFound, buildCurveLaunched, buildCurveTraded, testCurve } from '../../support/build-curves.ts'
import {
  buildHash,
  buildLiquidityChanged,
  buildPoolCreated,
  buildPoolInitialized,
  buildSwap,
  second,
  sqrtPriceX96Of,
  testPool,
  testStartAtMs,
  weiOf,
} from '../../support/build-facts.ts'

const otherPool = buildHash(0xb1)

function stateAfter(...facts: readonly ChainAFact[]): ChainAPrices {
  const state = prices.initialState()
  for (const fact of facts) prices.onFact(state, fact)
  return state
}

describe('the prices of a token of chain A', () => {
  it('are those of its pools after their last counted swap, the initial one until then', () => {
    const state = stateAfter(buildPoolCreated())
    expect(prices.pxOf(state, testPool)).to.be.closeTo(1e-27, 1e-38)
    expect(prices.onFact(state, buildSwap({ px: 2e-9 }))).to.equal(testPool)
    expect(prices.onFact(state, buildSwap({ px: 3e-9, eth: 0 }))).to.equal(null)
    expect(prices.pxOf(state, testPool)).to.be.closeTo(2e-27, 1e-38)
    expect(prices.onFact(state, buildSwap({ pool: otherPool }))).to.equal(null)
    expect(prices.onFact(state, buildPoolCreated({ sqrtPriceX96: sqrtPriceX96Of(5e-9) }))).to.equal(null)
    expect(prices.marketOf(state, otherPool)).to.equal(null)
  })

  it('of a v3 pool begin when it is initialised', () => {
    const created = buildPoolCreated({ dex: 'v3', sqrtPriceX96: null })
    const state = stateAfter(created)
    expect(prices.onFact(stateAfter(), created)).to.equal(null)
    expect([prices.pxOf(state, testPool), prices.deepest(state), prices.marketsOf(state)]).to.deep.equal([
      null,
      null,
      [],
    ])
    expect(prices.onFact(state, buildPoolInitialized())).to.equal(testPool)
    expect(prices.deepest(state)?.px).to.be.closeTo(1e-27, 1e-38)
    expect(prices.onFact(state, buildPoolInitialized({ pool: otherPool }))).to.equal(null)
  })

  it('say how much ETH a pool holds at its price, and the deepest pool prices the token', () => {
    const add = (pool: typeof testPool, liquidityDelta: bigint) => buildLiquidityChanged({ pool, liquidityDelta })
    const state = stateAfter(buildPoolCreated(), buildPoolCreated({ pool: otherPool }))
    expect(prices.deepest(state)).to.include({ market: testPool, source: 'pool' })
    expect(prices.onFact(state, add(testPool, 10n ** 20n))).to.equal(null)
    prices.onFact(state, add(otherPool, 2n * 10n ** 20n))
    const [one, other] = [testPool, otherPool].map((pool) => prices.marketOf(state, pool))
    expect((other?.depth ?? 0) / (one?.depth ?? 1)).to.be.closeTo(2, 1e-9)
    expect(one?.depth).to.be.closeTo((1e20 * Math.sqrt(1e-9)) / 1e18, 1e-9)
    expect(prices.deepest(state)?.market).to.equal(otherPool)
    expect(one).to.include({ source: 'pool', openedAtMs: testStartAtMs, fill: null, supplyRaw: null })
  })

  it('are those of its curve, which says the supply', () => {
    const state = stateAfter(buildCurveLaunched({ blockAtMs: second(2) }))
    const start = (1.68 * 1.68) / 1.68 / 1e27
    expect(prices.deepest(state)).to.deep.equal({
      ...{ market: testCurve, source: 'curve', px: start, depth: 0, openedAtMs: second(2), fill: 0, supplyRaw: 1e27 },
    })
    expect(prices.onFact(state, buildCurveTraded({ ethWei: weiOf(2.2), feeWei: weiOf(0.1) }))).to.equal(testCurve)
    const { px, depth, fill } = prices.marketOf(state, testCurve) ?? {}
    expect(px).to.be.closeTo(((1.68 + 2.1) ** 2 / 1.68) * 1e-27, 1e-39)
    expect([depth, fill]).to.deep.equal([2.1, 0.5])
    expect(prices.onFact(state, buildCurveTraded({ curve: otherPool }))).to.equal(null)
    expect(prices.onFact(state, buildCurveLaunched())).to.equal(null)
  })

  it('are those that a find says, of the curve that is known', () => {
    const state = stateAfter(buildCurveTraded(), buildCurveFound({ reserveWei: weiOf(1), launchAtMs: second(-50) }))
    expect(prices.deepest(state)).to.include({ depth: 1, openedAtMs: second(-50) })
    expect(prices.onFact(state, buildCurveFound({ curve: otherPool }))).to.equal(null)
    expect(prices.onFact(state, buildCurveFound({ reserveWei: weiOf(2) }))).to.equal(testCurve)
    expect(prices.deepest(state)).to.include({ depth: 2, openedAtMs: null })
  })

  it('end with their market; a pool keeps the supply of its curve until the last one ends', () => {
    const state = stateAfter(buildCurveLaunched(), buildPoolCreated())
    const closed = { closedAtMs: second(9) }
    const closeCurve = (curve = testCurve) =>
      prices.onDerived(state, { type: 'CurveClosed', data: { curve, ...closed } })
    const closePool = (pool = testPool) => prices.onDerived(state, { type: 'PoolClosed', data: { pool, ...closed } })
    expect([closeCurve(otherPool), closePool(otherPool)]).to.deep.equal([null, null])
    expect(closeCurve()).to.deep.equal({ markets: [testCurve], ...closed })
    expect(prices.deepest(state)).to.include({ market: testPool, supplyRaw: 1e27 })
    expect(prices.isEmpty(state)).to.equal(false)
    expect(closePool()).to.deep.equal({ markets: [testPool], ...closed })
    expect(prices.isEmpty(state)).to.equal(true)
    expect(state).to.deep.equal(prices.initialState())
  })
})
