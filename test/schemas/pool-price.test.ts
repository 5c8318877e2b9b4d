import { expect } from 'chai'
import fc from 'fast-check'
import { ethInPosition, priceFromSqrt, priceTickMax, priceTickMin } from '../../schemas/chain-a/pool-price.ts'

const Q96 = 2n ** 96n
const relative = (a: number, b: number): number => Math.abs(a - b) / Math.max(Math.abs(a), Math.abs(b), 1e-300)

/**
 * Computes the ETH in a position with the integer arithmetic of the contracts. Only `rootX96`, the square
 * root of a tick's price, uses floating point.
 */
function exactEthWei(
  liquidity: bigint,
  [lower, upper]: readonly [bigint, bigint],
  [price, isFirst]: readonly [bigint, boolean],
): bigint {
  const clamped = price < lower ? lower : price > upper ? upper : price
  return isFirst ? (liquidity * Q96 * (upper - clamped)) / upper / clamped : (liquidity * (clamped - lower)) / Q96
}

const rootX96 = (tick: number): bigint => BigInt(Math.trunc(1.0001 ** (tick / 2) * 2 ** 96))

describe('pool prices', () => {
  it('are ETH per raw unit of the token, from either side', () => {
    expect(priceFromSqrt(2n * Q96, true)).to.equal(1e-18 / 4)
    expect(priceFromSqrt(2n * Q96, false)).to.equal(4e-18)
  })

  it('agree with a real pool: the price of ETH in USDC on 5 January 2024', () => {
    const sqrtPriceX96 = 0x51fdf2fd9b2526872a9b723450f2n
    const usd = 1 / (priceFromSqrt(sqrtPriceX96, false) * 1e6)
    expect(usd).to.be.closeTo(2268, 5)
  })

  it('do not overflow at the ends of the range', () => {
    for (const tick of [priceTickMin, priceTickMax]) {
      const px = priceFromSqrt(rootX96(tick), true)
      expect(px).to.be.greaterThan(0).and.lessThan(Number.POSITIVE_INFINITY)
    }
  })
})

describe('the ETH in a position', () => {
  const tick = fc.integer({ min: -300_000, max: 300_000 })

  it('is what the contract’s integers say', () => {
    const drawn = fc.tuple(tick, fc.integer({ min: 1, max: 100_000 }), tick, fc.boolean())
    fc.assert(
      fc.property(drawn, ([tickLower, width, priceTick, isFirst]) => {
        const liquidity = 10n ** 30n
        const tickUpper = tickLower + width
        const price = rootX96(priceTick)
        const eth = ethInPosition({ liquidity, tickLower, tickUpper }, price, isFirst)
        const wei = exactEthWei(liquidity, [rootX96(tickLower), rootX96(tickUpper)], [price, isFirst])
        expect(relative(eth, Number(wei) / 1e18)).to.be.lessThan(1e-9)
      }),
    )
  })

  it('is nothing when the price has left the range on the token’s side, and all of it on the other', () => {
    const range = { liquidity: 10n ** 21n, tickLower: -60, tickUpper: 60 }
    const width = 1.0001 ** 30 - 1.0001 ** -30
    expect(ethInPosition(range, rootX96(100), true)).to.equal(0)
    expect(ethInPosition(range, rootX96(-100), true)).to.be.closeTo(1000 * width, 1e-9)
    expect(ethInPosition(range, rootX96(-100), false)).to.equal(0)
    expect(ethInPosition(range, rootX96(100), false)).to.be.closeTo(1000 * width, 1e-9)
  })
})
