import { expect } from 'chai'
import { minutes } from '../../../../processors/chain-a/minutes/processor.ts'
import { pools } from '../../../../processors/chain-a/pools/processor.ts'
import type { ChainADerived, PoolMinute } from '../../../../schemas/chain-a/derived.ts'
import type { ChainAFact } from '../../../../schemas/chain-a/facts.ts'
import { priceFromSqrt } from '../../../../schemas/chain-a/pool-price.ts'
import {
  buildAddress,
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
import { given } from '../../../support/given-chain-a.ts'

const created = buildPoolCreated({ blockAtMs: second(0) })
const swapAt = (sec: number, eth: number, px = 1e-9) => buildSwap({ blockAtMs: second(sec), eth, px })

/** Returns the `PoolMinute` records that the facts cause. All timers have fired by then. */
function cellsOf(...facts: readonly ChainAFact[]): readonly PoolMinute[] {
  const { driver } = given(minutes, [created]).when(...facts)
  const lastAtMs = Math.max(...facts.map(({ data }) => data.blockAtMs))
  driver.tick(lastAtMs + 600_000)
  return driver.outputs().flatMap(({ record }) => (record.type === 'PoolMinute' ? [record.data] : []))
}

/**
 * Shows a minute as a text. `60s +0.30/2 -0.10/1` is the minute, the ETH and count of buys, and the ETH and
 * count of sells.
 */
const shown = (cell: PoolMinute): string =>
  `${(cell.minuteAtMs - testStartAtMs) / 1000}s +${eth(cell.buyWei)}/${cell.buys} -${eth(cell.sellWei)}/${cell.sells}`
const eth = (wei: bigint) => (Number(wei) / 1e18).toFixed(2)

const shownOf = (records: readonly ChainADerived[]): string[] =>
  records.flatMap(({ type, data }) => (type === 'PoolMinute' ? [shown(data)] : []))

describe('pool minutes', () => {
  it('are published whole, the first swap after a pause with its block, those within 10 s of it together', () => {
    //   s     600     610     620     630   635
    //          b       b s                  b
    //   told   b               b s          b
    const cells = cellsOf(swapAt(601, 0.1), swapAt(609, 0.2), swapAt(610, -0.1), swapAt(635, 0.4))
    expect(cells.map(shown)).to.deep.equal(['600s +0.10/1 -0.00/0', '600s +0.30/2 -0.10/1', '600s +0.70/3 -0.10/1'])
  })

  it('begin and end on the minute of block time, and never wait past its end', () => {
    const cells = cellsOf(swapAt(655, 0.1), swapAt(659.999, 0.1), swapAt(660, 0.2), swapAt(660.001, 0.3))
    const whole = ['600s +0.10/1 -0.00/0', '600s +0.20/2 -0.00/0', '660s +0.50/2 -0.00/0']
    expect(cells.map(shown)).to.deep.equal(whole)
    const then = given(minutes, [created, swapAt(655, 0.1)]).when(swapAt(656, 0.1))
    then.wokenAt(second(660) - 2).emits([])
    expect(then.wokenAt(second(660) - 1).records).to.have.length(1)
  })

  it('come at the end of the block that changed them, once for all its swaps', () => {
    const { records } = given(minutes, [created]).when(swapAt(601, 0.1), swapAt(601, 0.2))
    expect(shownOf(records)).to.deep.equal(['600s +0.30/2 -0.00/0'])
  })

  it('come once block time has passed 10 s after what was told before, and not before', () => {
    const then = given(minutes, [created, swapAt(601, 0.1)]).when(swapAt(602, 0.1))
    then.emits([])
    then.wokenAt(second(611) - 1).emits([])
    expect(shownOf(then.wokenAt(second(611)).records)).to.deep.equal(['600s +0.20/2 -0.00/0'])
    then.wokenAt(second(700)).emits([])
  })

  it('come with a block exactly 10 s after what was told before, and not again after it', () => {
    const then = given(minutes, [created, swapAt(601, 0.1), swapAt(602, 0.1)]).when(swapAt(611, 0.1))
    expect(shownOf(then.records)).to.deep.equal(['600s +0.30/3 -0.00/0'])
    then.wokenAt(second(700)).emits([])
  })

  it('do not take in the swap that ends their wait', () => {
    const { records } = given(minutes, [created, swapAt(601, 0.1), swapAt(602, 0.1)]).when(swapAt(611.5, 5))
    expect(shownOf(records)).to.deep.equal(['600s +0.20/2 -0.00/0'])
  })

  it('carry the last counted swap’s price and time', () => {
    const [cell, ...more] = cellsOf(swapAt(601, 0.1, 2e-9), swapAt(605, 0, 7e-9), {
      ...swapAt(606, 0.1, 7e-9),
      data: { ...swapAt(606, 0.1, 7e-9).data, tick: 887271 },
    })
    expect(more).to.deep.equal([])
    expect(cell?.lastPx).to.equal(priceFromSqrt(sqrtPriceX96Of(2e-9), true))
    expect(cell?.lastSwapAtMs).to.equal(second(601))
    expect(cell && shown(cell)).to.equal('600s +0.10/1 -0.00/0')
  })

  it('leave out swaps by the pool’s own hook', () => {
    const hooks = buildAddress(0x400c)
    const hooked = buildPoolCreated({ blockAtMs: second(0), hooks })
    const then = given(minutes, [hooked]).when(buildSwap({ blockAtMs: second(601), sender: hooks }))
    then.emits([])
    then.wokenAt(second(700)).emits([])
  })

  it('sum to the wei', () => {
    const cells = cellsOf(
      buildSwap({ blockAtMs: second(600), ethWei: 10n ** 24n }),
      buildSwap({ blockAtMs: second(600), ethWei: 1n }),
    )
    expect(cells[0]?.buyWei).to.equal(10n ** 24n + 1n)
  })

  it('are of no pool whose creation is not in the log: nothing is kept of it', () => {
    const then = given(minutes).when(buildLiquidityChanged(), swapAt(601, 0.1))
    then.emits([])
    expect(then.driver.counts().tokens).to.equal(0)
  })

  it('do not begin anew, nor come, because the creation is told again', () => {
    const again = given(minutes, [created, swapAt(601, 0.1)]).when(buildPoolCreated({ blockAtMs: second(620) }))
    again.emits([])
    expect(shownOf(again.when(swapAt(640, 0.2)).records)).to.deep.equal(['600s +0.30/2 -0.00/0'])
  })

  it('stop when the pool is closed', () => {
    const closed = given([pools, minutes], [created, swapAt(601, 0.1)]).wokenAt(second(25.5 * 3600))
    expect(closed.driver.counts()).to.deep.equal({ tokens: 0, timers: 0 })
    closed
      .when(swapAt(26 * 3600, 1))
      .wokenAt(second(27 * 3600))
      .emits([])
  })
})

describe('the ETH side of a pool', () => {
  /** Returns the ETH of a full-range position in which ETH is currency 0. It is L / sqrt(price). */
  const fullRangeEth = (liquidity: bigint, px: number) => (Number(liquidity) / Math.sqrt(1 / px)) * 1e-18
  const add = (sec: number, liquidityDelta: bigint) => buildLiquidityChanged({ blockAtMs: second(sec), liquidityDelta })
  const liquidity = 10n ** 23n

  it('is known from the first add on, at the initial price, before any swap', () => {
    const [cell] = cellsOf(add(1, liquidity))
    expect(cell).to.deep.include({ minuteAtMs: second(0), buys: 0, sells: 0, lastPx: null, lastSwapAtMs: null })
    expect(cell?.liqEth).to.be.closeTo(fullRangeEth(liquidity, 1e-9), 1e-9)
  })

  it('is that of the positions at the last swap, at its price', () => {
    const cells = cellsOf(add(1, liquidity), swapAt(601, 0.1, 4e-9), add(602, liquidity))
    expect(cells.at(-1)?.liqEth).to.be.closeTo(fullRangeEth(liquidity, 4e-9), 1e-9)
  })

  it('takes a later change in at the next swap, the removal of a whole range too', () => {
    const pulled = cellsOf(add(1, liquidity), swapAt(601, 0.1), add(602, -liquidity), swapAt(603, -0.1))
    expect(pulled.at(-1)?.liqEth).to.equal(0)
    const grown = cellsOf(add(1, liquidity), swapAt(601, 0.1), add(602, liquidity), swapAt(603, -0.1))
    expect(grown.at(-1)?.liqEth).to.be.closeTo(2 * fullRangeEth(liquidity, 1e-9), 1e-9)
  })

  it('is 0 on v3 before there is a price, and the price alone is no change', () => {
    const v3 = buildPoolCreated({ blockAtMs: second(0), dex: 'v3', sqrtPriceX96: null })
    const added = given([pools, minutes], [v3]).when(add(1, liquidity))
    expect(added.records[0]?.type === 'PoolMinute' && added.records[0].data.liqEth).to.equal(0)
    const priced = added.when(buildPoolInitialized({ blockAtMs: second(20) }))
    expect(priced.records.map(({ type }) => type)).to.deep.equal(['PoolOpened'])
    const [minute] = priced.when(swapAt(40, 0.1)).records
    expect(minute?.type === 'PoolMinute' && minute.data.liqEth).to.be.closeTo(fullRangeEth(liquidity, 1e-9), 1e-9)
  })

  it('is that of a v3 pool once it has a price', () => {
    const v3 = buildPoolCreated({ blockAtMs: second(0), dex: 'v3', sqrtPriceX96: null })
    const initialized = buildPoolInitialized({ blockAtMs: second(1), pool: testPool })
    const { records } = given(minutes, [v3, initialized]).when(add(2, liquidity))
    expect(records[0]?.type === 'PoolMinute' && records[0].data.liqEth).to.be.closeTo(
      fullRangeEth(liquidity, 1e-9),
      1e-9,
    )
    expect(weiOf(1)).to.equal(10n ** 18n)
  })
})
