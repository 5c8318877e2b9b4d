import { expect } from 'chai'
import { type ChainAPrices, chainAPrices as prices } from '../../../../processors/chain-a/markets/prices.ts'
import { curveLifeMs } from '../../../../schemas/chain-a/curve-life.ts'
import type { ChainAFact } from '../../../../schemas/chain-a/facts.ts'
import { poolLifeMs } from '../../../../schemas/chain-a/pool-life.ts'
import type { Hex } from '../../../../schemas/units.ts'
import {
  buildCurveCompleted,
  buildCurveFound,
  buildCurveGraduated,
  buildCurveLaunched,
  buildCurveTraded,
  testCurve,
} from '../../../support/builders/build-curves.ts'
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
} from '../../../support/builders/build-facts.ts'

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
    expect(() => prices.marketOf(state, otherPool)).to.throw('is not known')
  })

  it('of a v3 pool begin when it is initialised', () => {
    const created = buildPoolCreated({ dex: 'v3', sqrtPriceX96: null })
    const state = stateAfter(created)
    expect(prices.onFact(stateAfter(), created)).to.equal(null)
    expect(() => prices.pxOf(state, testPool)).to.throw('without a price')
    expect(prices.onFact(state, buildPoolInitialized())).to.equal(testPool)
    expect(prices.marketOf(state, testPool)?.px).to.be.closeTo(1e-27, 1e-38)
    expect(prices.onFact(state, buildPoolInitialized({ pool: otherPool }))).to.equal(null)
  })

  it('say how much ETH a pool holds at its price, and when the stage forgets it', () => {
    const add = (pool: Hex, liquidityDelta: bigint) => buildLiquidityChanged({ pool, liquidityDelta })
    const state = stateAfter(buildPoolCreated(), buildPoolCreated({ pool: otherPool }))
    expect(prices.marketOf(state, testPool)).to.include({ depth: 0, forgottenAtMs: testStartAtMs + poolLifeMs })
    expect(prices.onFact(state, add(testPool, 10n ** 20n))).to.equal(null)
    prices.onFact(state, add(otherPool, 2n * 10n ** 20n))
    const [one, other] = [testPool, otherPool].map((pool) => prices.marketOf(state, pool))
    expect((other?.depth ?? 0) / (one?.depth ?? 1)).to.be.closeTo(2, 1e-9)
    expect(one?.depth).to.be.closeTo((1e20 * Math.sqrt(1e-9)) / 1e18, 1e-9)
    expect(one).to.include({ source: 'pool', openedAtMs: testStartAtMs, fill: null, supplyRaw: null })
  })

  it('are those of its curve, which says the supply and is not forgotten at any instant', () => {
    const state = stateAfter(buildCurveLaunched({ blockAtMs: second(2) }))
    const start = (1.68 * 1.68) / 1.68 / 1e27
    expect(prices.marketOf(state, testCurve)).to.deep.equal({
      ...{ market: testCurve, source: 'curve', px: start, depth: 0, openedAtMs: second(2), fill: 0, supplyRaw: 1e27 },
      forgottenAtMs: null,
      idleLifeMs: curveLifeMs,
    })
    expect(prices.onFact(state, buildCurveTraded({ ethWei: weiOf(2.2), feeWei: weiOf(0.1) }))).to.equal(testCurve)
    const { px, depth, fill } = prices.marketOf(state, testCurve) ?? {}
    expect(px).to.be.closeTo(((1.68 + 2.1) ** 2 / 1.68) * 1e-27, 1e-39)
    expect([depth, fill]).to.deep.equal([2.1, 0.5])
    expect([prices.pxOf(state, testCurve), prices.fillOf(state, testCurve)]).to.deep.equal([px, fill])
    expect(() => prices.fillOf(state, testPool)).to.throw('the market is not the known curve')
    expect(prices.onFact(state, buildCurveTraded({ curve: otherPool }))).to.equal(null)
    expect(prices.onFact(state, buildCurveLaunched())).to.equal(null)
  })

  it('are those that a find says, of the curve that is known', () => {
    const state = stateAfter(buildCurveTraded(), buildCurveFound({ reserveWei: weiOf(1), launchAtMs: second(-50) }))
    expect(prices.marketOf(state, testCurve)).to.include({ depth: 1, openedAtMs: second(-50) })
    expect(prices.onFact(state, buildCurveFound({ curve: otherPool }))).to.equal(null)
    expect(prices.onFact(state, buildCurveFound({ reserveWei: weiOf(2) }))).to.equal(testCurve)
    expect(prices.marketOf(state, testCurve)).to.include({ depth: 2, openedAtMs: null })
  })

  it('end where the curve is complete or graduates, says a fact of that curve', () => {
    const state = stateAfter(buildCurveLaunched())
    for (const build of [buildCurveCompleted, buildCurveGraduated]) {
      expect(prices.completedBy(state, build())).to.equal(testCurve)
      expect(prices.completedBy(state, build({ curve: otherPool }))).to.equal(null)
      expect(prices.completedBy(stateAfter(), build())).to.equal(null)
    }
    expect(prices.completedBy(state, buildCurveTraded())).to.equal(null)
  })

  it('are forgotten with their market; a pool keeps the supply of its curve until the last one is', () => {
    const state = stateAfter(buildCurveLaunched(), buildPoolCreated())
    prices.forget(state, otherPool)
    expect(prices.pxOf(state, testCurve)).not.to.equal(null)
    prices.forget(state, testCurve)
    expect(() => prices.pxOf(state, testCurve)).to.throw('is not known')
    expect(prices.marketOf(state, testPool)).to.include({ supplyRaw: 1e27 })
    expect(prices.isEmpty(state)).to.equal(false)
    prices.forget(state, testPool)
    expect(prices.isEmpty(state)).to.equal(true)
    expect(state).to.deep.equal(prices.initialState())
  })
})

describe('a record that closes a market of chain A', () => {
  const closed = { closedAtMs: second(9) }
  const poolClosed = { type: 'PoolClosed', data: { pool: testPool, ...closed } } as const
  const curveClosed = { type: 'CurveClosed', data: { curve: testCurve, ...closed } } as const
  const launched = buildCurveLaunched({ blockAtMs: second(0) })

  it('is that of a pool, with nothing in its place', () => {
    expect(prices.closingOf(stateAfter(), poolClosed)).to.deep.equal({ market: testPool, ...closed, next: null })
  })

  it('is that of a curve that has been idle for long', () => {
    const state = stateAfter(launched, buildPoolCreated({ blockAtMs: second(5) }))
    expect(prices.closingOf(state, curveClosed)).to.deep.equal({ market: testCurve, ...closed, next: null })
  })

  it('is that of a curve that goes on in the pool that was created when it graduated, else in the newest', () => {
    const early = buildPoolCreated({ pool: otherPool, blockAtMs: second(5) })
    const own = buildPoolCreated({ blockAtMs: second(8) })
    const graduated = buildCurveGraduated({ blockAtMs: second(8) })
    for (const facts of [
      [launched, early, own, graduated],
      [launched, early, graduated, own],
    ])
      expect(prices.closingOf(stateAfter(...facts), curveClosed)?.next).to.equal(testPool)
    expect(prices.closingOf(stateAfter(launched, own, early, graduated), curveClosed)?.next).to.equal(testPool)
    expect(prices.closingOf(stateAfter(launched, early, graduated), curveClosed)?.next).to.equal(otherPool)
    expect(prices.closingOf(stateAfter(launched, graduated), curveClosed)?.next).to.equal(null)
  })
})

describe('the liquidity of a pool of chain A', () => {
  const { liquidity } = prices
  if (liquidity === null) throw new Error('the liquidity of chain A can be pulled')
  const full = 10n ** 21n
  const added = buildLiquidityChanged({ liquidityDelta: full })

  it('is changed by adds and removals in a pool that has a price, and by nothing else', () => {
    const state = stateAfter(buildPoolCreated())
    expect(liquidity.changedBy(state, added)).to.equal(testPool)
    expect(liquidity.changedBy(state, buildLiquidityChanged({ liquidityDelta: -full }))).to.equal(testPool)
    for (const fact of [
      buildLiquidityChanged({ liquidityDelta: 0n }),
      buildLiquidityChanged({ pool: otherPool }),
      buildSwap(),
    ])
      expect(liquidity.changedBy(state, fact)).to.equal(null)
    expect(liquidity.changedBy(stateAfter(buildPoolCreated({ sqrtPriceX96: null })), added)).to.equal(null)
    expect(liquidity.txHashOf(added)).to.equal(added.data.txHash)
  })

  it('is counted at any price', () => {
    const state = stateAfter(buildPoolCreated(), added)
    const price = liquidity.priceOf(state, testPool)
    const side = liquidity.coinSideAt(state, testPool, price)
    expect(side).to.equal(prices.marketOf(state, testPool)?.depth)
    prices.onFact(state, buildSwap({ px: 4e-9 }))
    expect(liquidity.coinSideAt(state, testPool, price)).to.equal(side)
    expect(liquidity.coinSideAt(state, testPool, liquidity.priceOf(state, testPool)) / side).to.be.closeTo(2, 1e-6)
  })

  it('is gone when nobody has a position', () => {
    const state = stateAfter(buildPoolCreated())
    const isEmptied = (...facts: readonly ChainAFact[]) => {
      for (const fact of facts) prices.onFact(state, fact)
      return liquidity.isEmptied(state, testPool)
    }
    expect(isEmptied()).to.equal(true)
    expect(isEmptied(added)).to.equal(false)
    expect(isEmptied(buildLiquidityChanged({ liquidityDelta: -full + 1n }))).to.equal(false)
    expect(isEmptied(buildLiquidityChanged({ liquidityDelta: -1n }))).to.equal(true)
  })
})
