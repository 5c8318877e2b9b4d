import { createHash } from 'node:crypto'
import { expect } from 'chai'
import fc from 'fast-check'
import {
  ethInPosition,
  priceFromSqrt,
  priceTickMax,
  priceTickMin,
  sqrtAtPriceTick,
} from '../../schemas/chain-a/pool-price.ts'

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

describe('the square root of the price at a tick', () => {
  it('is that of the contract at the ends of the range', () => {
    // MIN_SQRT_RATIO and MAX_SQRT_RATIO of Uniswap's TickMath. The contract rounds up to a whole number.
    expect(relative(sqrtAtPriceTick(priceTickMin) * 2 ** 96, 4295128739)).to.be.lessThan(1e-9)
    const most = Number(1461446703485210103287273052203988822378723970342n)
    expect(relative(sqrtAtPriceTick(priceTickMax) * 2 ** 96, most)).to.be.lessThan(1e-14)
  })

  it('is that of exact fractions, at every power of two and between them', () => {
    // 1.0001^tick in fixed point with 160 digits after the point of a binary number.
    const one = 1n << 160n
    const squareAt = (tick: number): bigint => {
      let product = one
      for (let square = (one * 10_001n) / 10_000n, rest = tick; rest > 0; rest >>= 1, square = (square * square) / one)
        if (rest & 1) product = (product * square) / one
      return product
    }
    for (const tick of [0, 1, 2, 3, 4, 7, 8, 60, 200, 1023, 1024, 4096, 65_535, 131_072, 262_144, 524_288, 887_272]) {
      const root = sqrtAtPriceTick(tick)
      expect(relative(root * root, Number(squareAt(tick)) / 2 ** 160), `tick ${tick}`).to.be.lessThan(2e-14)
      expect(relative(root * sqrtAtPriceTick(-tick), 1), `tick ${-tick}`).to.be.lessThan(2e-16)
    }
  })

  it('is the same to the last digit on every version of Node', () => {
    const hash = createHash('sha256')
    for (let tick = priceTickMin; tick <= priceTickMax; tick += 17)
      hash.update(Buffer.from(new Float64Array([sqrtAtPriceTick(tick)]).buffer))
    expect(hash.digest('hex').slice(0, 16)).to.equal('1410f379f9b88300')
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
