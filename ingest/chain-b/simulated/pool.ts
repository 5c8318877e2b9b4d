/**
 * Simulates the pool of a graduated mint, as mutable state. The integer arithmetic is the same as in the
 * PumpSwap program.
 */
import { feeOf, type Reserves } from '../../../schemas/chain-b/curve.ts'
import type { PoolTraded } from '../../../schemas/chain-b/facts.ts'
import { afterPoolTrade, costInPool, proceedsInPool } from '../../../schemas/chain-b/pool.ts'
import type { Address, QuoteRaw, TokenRaw } from '../../../schemas/units.ts'
import { type Amounts, type Curve, realQuoteRaw } from './curve.ts'
import type { Draft } from './draft.ts'

export type Pool = { readonly curve: Curve; reserves: Reserves }

/** The part of the supply that a curve does not sell, in raw tokens. This part goes into the curve's pool. */
export const unsoldRaw = 206_900_000_000_000n
export const migrationFeeOf = ({ quoteMint }: Curve): bigint => (quoteMint === null ? 15_000_001n : 0n)

/** Returns the pool of a complete curve, with its opening reserves. */
export const openPool = (curve: Curve): Pool => ({
  curve,
  reserves: curve.poolReserves ?? { quoteRaw: realQuoteRaw(curve) - migrationFeeOf(curve), tokenRaw: unsoldRaw },
})

export function amountsOfPoolBuy({ reserves }: Pool, quoteRaw: QuoteRaw): Amounts {
  const tokenRaw = (reserves.tokenRaw * quoteRaw) / (reserves.quoteRaw + quoteRaw)
  return { tokenRaw, quoteRaw: costInPool(reserves, tokenRaw) }
}

export const amountsOfPoolSale = ({ reserves }: Pool, tokens: TokenRaw): Amounts => ({
  tokenRaw: -tokens,
  quoteRaw: -proceedsInPool(reserves, tokens),
})

const protocolBps = 93n
const creatorBps = 30n
const lpBps = 2n

type Trader = Readonly<{ wallet: number; address: Address }>

/**
 * Applies the trade to the pool and to the trader's token balance. A buy that completes the curve may also
 * buy from the pool. This part of the buy pays no fee to liquidity providers (LP fee).
 */
export function tradeInPool(
  pool: Pool,
  { wallet, address: trader }: Trader,
  { tokenRaw, quoteRaw, isBeforeMigration }: Amounts & Pick<PoolTraded, 'isBeforeMigration'>,
): Draft {
  const { curve } = pool
  const size = quoteRaw < 0n ? -quoteRaw : quoteRaw
  const lpFeeRaw = isBeforeMigration ? 0n : feeOf(size, lpBps)
  pool.reserves = afterPoolTrade(pool.reserves, { quoteRaw, tokenRaw, lpFeeRaw })
  curve.poolReserves = pool.reserves
  curve.holders.add(wallet, tokenRaw)
  return {
    type: 'PoolTraded',
    data: {
      trader,
      quoteRaw,
      tokenRaw,
      virtualQuoteRaw: 0n,
      lpFeeRaw,
      poolQuoteRaw: pool.reserves.quoteRaw,
      poolTokenRaw: pool.reserves.tokenRaw,
      feeRaw: feeOf(size, protocolBps),
      creatorFeeRaw: feeOf(size, creatorBps),
      rewardsRaw: feeOf(size, curve.plan.rewardsBps),
      isBeforeMigration,
      quoteMint: curve.quoteMint,
    },
  }
}
