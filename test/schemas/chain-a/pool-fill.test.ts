/**
 * Tests the computed trades against a recorded day of three pools. Each trade is computed from the state
 * after the trade before it.
 */
import { readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import { expect } from 'chai'
import fc from 'fast-check'
import { buyFromPool, type PoolDepth, type PoolFill, sellToPool } from '../../../schemas/chain-a/pool-fill.ts'

type Trade = Readonly<{ ethWei: bigint; tokenRaw: bigint }> & Pick<PoolDepth, 'sqrtPriceX96' | 'liquidity' | 'tick'>

const pools = [
  { file: 'usdc-weth-500', ethIsCurrency0: false, feeMillionths: 500, tickSpacing: 10 },
  { file: 'usdc-weth-3000', ethIsCurrency0: false, feeMillionths: 3000, tickSpacing: 60 },
  { file: 'weth-osqth-3000', ethIsCurrency0: true, feeMillionths: 3000, tickSpacing: 60 },
] as const

/** Reads the trades of a recording. As in the pool's event, an amount above 0 was paid in. */
function readTrades(file: string, ethIsCurrency0: boolean): readonly Trade[] {
  const csv = gunzipSync(readFileSync(new URL(`../../fixtures/v3-day-2024-01-05/${file}.csv.gz`, import.meta.url)))
  const [, ...lines] = csv.toString().trimEnd().split('\n')
  return lines.map((line) => {
    const cells = line.split(',')
    const integer = (index: number) => BigInt(cells[index] ?? '')
    const [ethAt, tokenAt] = ethIsCurrency0 ? [4, 5] : [5, 4]
    return {
      ...{ ethWei: integer(ethAt), tokenRaw: integer(tokenAt) },
      ...{ sqrtPriceX96: integer(6), liquidity: integer(7), tick: Number(cells[8]) },
    }
  })
}

const fill = (pool: PoolDepth, trade: Trade): PoolFill =>
  trade.ethWei > 0n ? buyFromPool(pool, trade.ethWei) : sellToPool(pool, trade.tokenRaw)

describe('what a trade in a pool would get', () => {
  for (const { file, ...pool } of pools)
    it(`is what ${file} paid on a real day, to the last unit`, () => {
      const trades = readTrades(file, pool.ethIsCurrency0)
      const errors = trades.slice(1).flatMap((trade, index) => {
        const before = trades[index] as Trade
        const filled = fill({ ...pool, ...before }, trade)
        const received = trade.ethWei > 0n ? -trade.tokenRaw : -trade.ethWei
        // The trade is not comparable if liquidity was added or removed between the two trades.
        const isComparable = filled.isExact && before.liquidity === trade.liquidity
        const price = (Number(before.sqrtPriceX96) / 2 ** 96) ** 2
        const unit = trade.ethWei > 0n === pool.ethIsCurrency0 ? price : 1 / price
        return isComparable ? [{ unit, error: Number(filled.received - received) }] : []
      })
      expect(errors).to.have.lengthOf.above(7)
      // If a trader asked for an exact output, the trader paid up to one raw unit too much. `unit` is the
      // amount that one raw unit buys.
      for (const { error, unit } of errors) expect(Math.abs(error)).to.be.at.most(Math.max(1, 1.01 * unit))
      expect(errors.filter(({ error }) => error === 0).length / errors.length).to.be.above(0.8)
    })

  const standing: PoolDepth = {
    ...{ sqrtPriceX96: 2n ** 96n, liquidity: 10n ** 21n, tick: 0 },
    ...{ ethIsCurrency0: true, tickSpacing: 60, feeMillionths: 3000 },
  }

  for (const [what, pool, paid, expected] of [
    ['nothing is paid', standing, 0n, { received: 0n, isExact: true }],
    ['there is no liquidity', { ...standing, liquidity: 0n }, 10n ** 18n, { received: 0n, isExact: false }],
    ['the price leaves its range', standing, 10n ** 19n, { isExact: false }],
    ['all of it is a fee', { ...standing, feeMillionths: 1_000_000 }, 10n ** 18n, { received: 0n, isExact: true }],
  ] as const)
    it(`says what it knows where ${what}`, () => expect(buyFromPool(pool, paid)).to.include(expected))

  it('never gives back more than was put in', () => {
    fc.assert(
      fc.property(fc.bigInt(1n, 10n ** 17n), fc.boolean(), (paid, ethIsCurrency0) => {
        const pool = { ...standing, tick: 30, sqrtPriceX96: (2n ** 96n * 10_015n) / 10_000n, ethIsCurrency0 }
        const bought = buyFromPool(pool, paid)
        const sold = sellToPool({ ...pool, sqrtPriceX96: bought.sqrtPriceX96 }, bought.received)
        return sold.received <= paid && sold.received <= (paid * 995n) / 1000n + 2n
      }),
    )
  })
})
