import { expect } from 'chai'
import {
  changeLiquidity,
  liquidityEth,
  noPositions,
  type Positions,
} from '../../../../processors/chain-a/pools/positions.ts'
import { buildLiquidityChanged } from '../../../support/builders/build-facts.ts'

const Q96 = 2n ** 96n

function positionsOf(...changes: readonly [number, number, bigint][]): Positions {
  const pool: { positions: Positions } = { positions: [] }
  for (const [tickLower, tickUpper, liquidityDelta] of changes)
    changeLiquidity(pool, buildLiquidityChanged({ tickLower, tickUpper, liquidityDelta }).data)
  return pool.positions
}

describe('positions', () => {
  it('of one range are one, whoever owns them', () => {
    const positions = positionsOf([-60, 60, 5n], [-60, 60, 7n], [-120, 60, 1n], [-60, 120, 2n])
    expect(positions.map(({ liquidity }) => liquidity)).to.deep.equal([12n, 1n, 2n])
  })

  it('are gone when all was taken out, and not changed by a poke', () => {
    expect(positionsOf([-60, 60, 5n], [-60, 60, -5n]).length).to.equal(0)
    expect(positionsOf([-60, 60, 5n], [0, 60, 1n], [-60, 60, -5n]).map(({ tickLower }) => tickLower)).to.deep.equal([0])
    expect(positionsOf([-60, 60, 0n]).length).to.equal(0)
  })

  it('are one list for two holders of the same list, and the own ones for a holder of another', () => {
    const held = (): { positions: Positions } => ({ positions: noPositions })
    const [first, second, other] = [held(), held(), held()]
    const add = buildLiquidityChanged({ tickLower: -60, tickUpper: 60, liquidityDelta: 5n }).data
    changeLiquidity(other, buildLiquidityChanged({ tickLower: 0, tickUpper: 60, liquidityDelta: 1n }).data)
    for (const pool of [first, second, other]) changeLiquidity(pool, add)
    expect(first.positions).to.equal(second.positions)
    expect(other.positions.map(({ liquidity }) => liquidity)).to.deep.equal([1n, 5n])
    const before = first.positions
    changeLiquidity(first, buildLiquidityChanged({ tickLower: -60, tickUpper: 60, liquidityDelta: 2n }).data)
    expect(first.positions.map(({ liquidity }) => liquidity)).to.deep.equal([7n])
    expect(before.map(({ liquidity }) => liquidity)).to.deep.equal([5n])
  })

  it('hold ETH by their range and the price, not by the liquidity in use', () => {
    const liquidity = 10n ** 21n
    const positions = positionsOf([-60, 60, liquidity], [60, 120, liquidity], [-120, -60, liquidity])
    const root = (tick: number) => 1.0001 ** (tick / 2)
    const inRange = 1 - 1 / root(60)
    const above = 1 / root(60) - 1 / root(120)
    expect(liquidityEth(positions, Q96, true)).to.be.closeTo(1000 * (inRange + above), 1e-9)
    const below = root(-60) - root(-120)
    expect(liquidityEth(positions, Q96, false)).to.be.closeTo(1000 * (1 - root(-60) + below), 1e-9)
  })
})
