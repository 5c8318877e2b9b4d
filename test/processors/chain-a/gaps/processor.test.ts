import { expect } from 'chai'
import fc from 'fast-check'
import {
  changeLiquidity as changeInPool,
  createPool,
  type Pool,
  swapExactIn,
} from '../../../../ingest/chain-a/simulated/pool.ts'
import { sqrtAtPriceTick } from '../../../../ingest/chain-a/simulated/price-tick-math.ts'
import { gaps } from '../../../../processors/chain-a/gaps/processor.ts'
import type { ChainADerived, TradeGap } from '../../../../schemas/chain-a/derived.ts'
import type { ChainAFact } from '../../../../schemas/chain-a/facts.ts'
import {
  buildLiquidityChanged,
  buildPoolCreated,
  buildSwap,
  type Fact,
  second,
  testPool,
} from '../../../support/builders/build-facts.ts'
import { given } from '../../../support/given-chain-a.ts'

const eth = 10n ** 18n
/** The price is in the middle between two price ticks, so that rounding cannot change the price tick. */
const initial = (sqrtAtPriceTick(1000) + sqrtAtPriceTick(1001)) / 2n

/** Creates a pool with the arithmetic of the contracts. Each action returns its fact. */
function scene({ ethIsCurrency0 = true, sqrtPriceX96 = initial } = {}) {
  const pool: Pool = createPool(sqrtPriceX96, 3000)
  const created = buildPoolCreated({ ethIsCurrency0, sqrtPriceX96, blockAtMs: second(0) })
  const add = ([lower, upper]: readonly [number, number], liquidityDelta: bigint, atSec = 1): ChainAFact => {
    changeInPool(pool, { lower, upper }, liquidityDelta)
    return buildLiquidityChanged({ tickLower: lower, tickUpper: upper, liquidityDelta, blockAtMs: second(atSec) })
  }
  const swap = (isEthIn: boolean, amount: bigint, atSec: number): Fact<'Swap'> => {
    const { paidIn, paidOut } = swapExactIn(pool, isEthIn === ethIsCurrency0, amount)
    const { sqrtPriceX96: after, liquidity, priceTick: tick } = pool
    const amounts = isEthIn ? { ethWei: paidIn, tokenRaw: paidOut } : { ethWei: -paidOut, tokenRaw: -paidIn }
    return buildSwap({ ...amounts, sqrtPriceX96: after, liquidity, tick, blockAtMs: second(atSec) })
  }
  return { pool, created, add, swap }
}

const gapsIn = (facts: readonly ChainAFact[]): TradeGap[] =>
  given(gaps)
    .when(...facts)
    .records.flatMap((record: ChainADerived) => (record.type === 'TradeGap' ? [record.data] : []))

const secondOf = (atMs: number) => (atMs - second(0)) / 1000

describe('a gap of a pool', () => {
  for (const ethIsCurrency0 of [true, false])
    for (const isEthIn of [true, false])
      it(`is before the swap that does not begin where the last one ended (${isEthIn ? 'buy' : 'sell'}, ETH as currency ${ethIsCurrency0 ? 0 : 1})`, () => {
        //  swap 10      missing 20      swap 30      swap 40
        //  |------------ gap -----------|
        const { created, add, swap } = scene({ ethIsCurrency0 })
        const facts = [created, add([-60_000, 60_000], 100n * eth), swap(true, eth, 10)]
        const missing = swap(isEthIn, eth / 4n, 20)
        const behind = [swap(true, eth / 100n, 30), swap(false, eth / 100n, 40)]
        expect(gapsIn([...facts, missing, ...behind])).to.deep.equal([])
        const [gap, ...others] = gapsIn([...facts, ...behind])
        expect(others).to.deep.equal([])
        expect(gap).to.deep.include({ pool: testPool, trades: null, state: 'open', failure: null })
        expect([gap?.fromAtMs, gap?.toAtMs, gap?.atMs].map((atMs) => secondOf(atMs ?? 0))).to.deep.equal([10, 30, 30])
        const { txHash, logIndex } = (behind[0] as Fact<'Swap'>).data
        expect(gap).to.include({ txHash, logIndex })
        // The expected volume is the amount that moved the price, without the fee.
        const wei = Number(missing.data.ethWei)
        const moved = isEthIn ? wei * 0.997 : -wei
        expect(Number(gap?.volumeRaw) / moved).to.be.closeTo(1, 1e-9)
      })

  it('is shown by the first swap too, whose price before it is that of the creation', () => {
    const { created, add, swap } = scene()
    const facts = [created, add([-60_000, 60_000], 100n * eth)]
    swap(true, eth, 20)
    const [gap] = gapsIn([...facts, swap(true, eth, 30)])
    expect(secondOf(gap?.fromAtMs ?? 0)).to.equal(0)
  })

  it('is not judged where the initial price is a price tick, on whose other side the pool may be', () => {
    const { created, add, swap } = scene({ sqrtPriceX96: sqrtAtPriceTick(1000) })
    const facts = [created, add([-60_000, 60_000], 100n * eth)]
    swap(true, eth, 20)
    expect(gapsIn([...facts, swap(true, eth, 30)])).to.deep.equal([])
  })

  it('is not judged where the liquidity in range is another one than it was', () => {
    const { created, add, swap } = scene()
    const facts = [created, add([-60_000, 60_000], 100n * eth), swap(true, eth, 10)]
    const missing = add([-6000, 6000], eth, 15)
    swap(true, eth, 20)
    const behind = swap(true, eth, 30)
    expect(gapsIn([...facts, behind]), 'a change of liquidity is missing').to.deep.equal([])
    expect(gapsIn([...facts, missing, behind]), 'it is there').to.have.length(1)
  })

  it('is not judged where a position begins or ends on the way, of the same liquidity behind it', () => {
    //  price ticks   0          960        1000 (now)
    //                |---- 1 ----|---- 5 ----|---- 1 ----
    const { created, add, swap } = scene()
    const facts = [created, add([-60_000, 60_000], 100n * eth), add([900, 960], 400n * eth), swap(true, eth / 100n, 10)]
    const across = swap(true, 100n * eth, 30)
    expect(gapsIn([...facts, across])).to.deep.equal([])
  })

  it('has no volume where a position begins or ends between the two prices', () => {
    // The missing swap moves the price from tick 1000 to tick 800. The last swap moves it back to 1000.
    //  price ticks   800        900        960        1000
    //                            |--- 400 ---|
    const { created, add, swap } = scene()
    const facts = [created, add([-60_000, 60_000], 100n * eth), add([900, 960], 400n * eth), swap(true, eth / 100n, 10)]
    const { tokenRaw } = swap(true, 3n * eth, 20).data
    const [gap, ...others] = gapsIn([...facts, swap(false, tokenRaw, 30)])
    expect(gap).to.include({ volumeRaw: null, trades: null })
    expect(others).to.deep.equal([])
  })

  for (const [bound, isKnown] of [
    [1012, false],
    [1013, true],
  ] as const)
    it(`has ${isKnown ? 'its' : 'no'} volume where a position begins at price tick ${bound} and the swap begins within 1012`, () => {
      // The missing swap moves the price from tick 1000 to tick 1012.5. The last swap moves it to about 1005.
      const { pool, created, add, swap } = scene()
      const facts = [created, add([-60_000, 60_000], 100n * eth), add([bound, 2000], 1n)]
      const target = (sqrtAtPriceTick(1012) + sqrtAtPriceTick(1013)) / 2n
      const netRaw = (pool.liquidity * (target - pool.sqrtPriceX96)) >> 96n
      swap(false, (netRaw * 1000n) / 997n, 20)
      expect(pool.priceTick).to.equal(1012)
      const [gap] = gapsIn([...facts, swap(true, (35n * eth) / 1000n, 30)])
      expect(pool.priceTick).to.be.within(1001, 1011)
      expect(typeof gap?.volumeRaw).to.equal(isKnown ? 'bigint' : 'object')
    })

  it('is none where fees are collected, and none of what moved nothing', () => {
    const { created, add, swap } = scene()
    const facts = [created, add([-60_000, 60_000], 100n * eth), swap(true, eth, 10), add([-60_000, 60_000], 0n, 11)]
    expect(gapsIn([...facts, swap(true, 1n, 12), swap(false, 1n, 13), swap(true, eth, 14)])).to.deep.equal([])
  })

  for (const ethIsCurrency0 of [true, false])
    it(`is none before or after a sale for less than a wei (ETH as currency ${ethIsCurrency0 ? 0 : 1})`, () => {
      // At this price, one wei buys about a billion raw tokens.
      const lower = ethIsCurrency0 ? 207_000 : -207_001
      const sqrtPriceX96 = (sqrtAtPriceTick(lower) + sqrtAtPriceTick(lower + 1)) / 2n
      const { created, add, swap } = scene({ ethIsCurrency0, sqrtPriceX96 })
      const facts = [created, add([-600_000, 600_000], 10n ** 12n), swap(true, 10_000n, 10)]
      const sale = swap(false, 10n ** 8n, 11)
      expect(sale.data.ethWei).to.equal(0n)
      expect(gapsIn([...facts, sale, swap(true, 10_000n, 12)])).to.deep.equal([])
    })

  it('is judged in pools with few positions: of more than 256 bounds none that breaks the chain', () => {
    const judged = (count: number) => {
      const { created, add, swap } = scene()
      const ranges = Array.from({ length: count }, (_, index) => add([-60_000 - index, 60_000 + index], eth))
      const first = swap(true, eth, 10)
      swap(true, eth, 20)
      return gapsIn([created, ...ranges, first, swap(true, eth, 30)]).length
    }
    expect(judged(128)).to.equal(1)
    expect(judged(129)).to.equal(0)
  })

  it('is of no pool whose creation the log does not have, and leaves nothing behind', () => {
    const { created, add, swap } = scene()
    const facts = [add([-60_000, 60_000], 100n * eth), swap(true, eth, 10)]
    swap(true, eth, 20)
    const last = swap(true, eth, 30)
    given(gaps)
      .when(...facts, last)
      .emits([])
    expect(
      given(gaps)
        .when(...facts, last)
        .driver.counts(),
    ).to.deep.equal({ tokens: 0, timers: 0 })
    expect(gapsIn([created, ...facts, last])).to.have.length(1)
  })

  it('is never told of a complete log, whatever happens in the pool', () => {
    const tick = fc.integer({ min: -200, max: 200 }).map((steps) => 1000 + 10 * steps)
    const action = fc.oneof(
      { weight: 4, arbitrary: fc.record({ isEthIn: fc.boolean(), amount: fc.bigInt(1n, 3n * eth) }) },
      fc.record({ one: tick, other: tick, liquidity: fc.bigInt(1n, 50n * eth) }),
    )
    fc.assert(
      fc.property(fc.boolean(), fc.array(action, { maxLength: 40 }), (ethIsCurrency0, actions) => {
        const { created, add, swap } = scene({ ethIsCurrency0 })
        const facts = actions.flatMap((one, index): ChainAFact[] => {
          if ('amount' in one) return [swap(one.isEthIn, one.amount, 10 + index)]
          const [lower, upper] = [Math.min(one.one, one.other), Math.max(one.one, one.other)]
          return lower === upper ? [] : [add([lower, upper], one.liquidity, 10 + index)]
        })
        expect(gapsIn([created, add([-2000, 4000], 10n * eth), ...facts])).to.deep.equal([])
      }),
      { numRuns: 300 },
    )
  })
})
