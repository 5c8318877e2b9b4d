/**
 * The arithmetic of the bonding curve. The curve is a constant product of virtual reserves: `x` of the quote
 * coin and `y` tokens. The formulas give the amounts of recorded trades exactly to the lamport. Amounts are
 * without fees unless their name says otherwise.
 */

import type { QuoteRaw, TokenRaw } from '../units.ts'
import type { CurveTraded } from './facts.ts'
import { lamportsPerSol, rawPerToken } from './units.ts'

/** The reserves from which the price follows. */
export type Reserves = Readonly<{ quoteRaw: QuoteRaw; tokenRaw: TokenRaw }>

/**
 * The initial reserves of a curve that trades against SOL and is not in mayhem mode (a mode in which an agent
 * trades at other prices).
 */
export const launchReserves: Reserves = { quoteRaw: 30_000_000_000n, tokenRaw: 1_073_000_000_000_000n }

/** The number of raw tokens that a curve sells. */
export const forSaleRaw = 793_100_000_000_000n

/** The number of virtual tokens that are never for sale. A complete curve has exactly this number left. */
export const unsoldVirtualRaw = launchReserves.tokenRaw - forSaleRaw

/** The product of the two reserves of a standard curve, except for rounding. */
export const launchProduct = launchReserves.quoteRaw * launchReserves.tokenRaw

/** Returns the cost of buying `tokens` raw tokens. */
export const costOfTokens = ({ quoteRaw: x, tokenRaw: y }: Reserves, tokens: TokenRaw): QuoteRaw =>
  (x * tokens) / (y - tokens) + 1n

/** Returns the proceeds of selling `tokens` raw tokens. */
export const proceedsOfTokens = ({ quoteRaw: x, tokenRaw: y }: Reserves, tokens: TokenRaw): QuoteRaw =>
  (x * tokens) / (y + tokens)

/** Returns the number of raw tokens that a buyer gets for exactly this cost. */
export const tokensForCost = ({ quoteRaw: x, tokenRaw: y }: Reserves, cost: QuoteRaw): TokenRaw =>
  cost <= 1n ? 0n : ((cost - 1n) * y) / (x + cost - 1n)

/** Returns a fee of `basisPoints` on `amount`, rounded up. */
export const feeOf = (amount: QuoteRaw, basisPoints: bigint): QuoteRaw => (amount * basisPoints + 9999n) / 10_000n

/** Returns the reserves after a trade. The amounts of `trade` have the same signs as in the facts. */
export const afterTrade = (
  { quoteRaw, tokenRaw }: Reserves,
  trade: Readonly<Pick<CurveTraded, 'quoteRaw' | 'tokenRaw'>>,
): Reserves => ({ quoteRaw: quoteRaw + trade.quoteRaw, tokenRaw: tokenRaw - trade.tokenRaw })

/** Returns the virtual reserves before a trade. They are computed from the reserves after the trade. */
export const beforeTrade = (
  trade: Readonly<Pick<CurveTraded, 'virtualQuoteRaw' | 'virtualTokenRaw' | 'quoteRaw' | 'tokenRaw'>>,
): Reserves => ({
  quoteRaw: trade.virtualQuoteRaw - trade.quoteRaw,
  tokenRaw: trade.virtualTokenRaw + trade.tokenRaw,
})

/**
 * Returns the share of the tokens for sale that are already sold, from 0 to 1. Works for any quote coin. The
 * result is a double with a relative error of about 1e-16.
 */
export const curveFill = (realTokenRaw: TokenRaw): number => 1 - Number(realTokenRaw) / Number(forSaleRaw)

/**
 * Returns the price in SOL per whole token, for curves and pools. The result is a double with a relative
 * error of about 1e-15.
 */
export const priceSol = ({ quoteRaw, tokenRaw }: Reserves): number => priceOfRaw(Number(quoteRaw), Number(tokenRaw))

/**
 * Returns the same price as `priceSol`, from reserves as doubles. A double is exact for the reserves of every curve or pool against SOL.
 */
export const priceOfRaw = (quoteRaw: number, tokenRaw: number): number =>
  quoteRaw / lamportsPerSol / (tokenRaw / rawPerToken)

/**
 * Returns the ratio of the prices of a standard curve at two virtual reserves of SOL. Both reserves must have
 * the same unit. The product of the reserves is constant, so the price is proportional to the square of the
 * virtual reserve of SOL.
 */
export const priceRatio = (toVirtualSol: number, fromVirtualSol: number): number => (toVirtualSol / fromVirtualSol) ** 2

/**
 * How much the product of a standard curve may exceed `launchProduct`. Each trade may leave about one lamport
 * of rounding in the curve, which raises the product.
 */
const productTolerance = launchProduct / 1_000_000n

type CurveState = Readonly<
  Pick<CurveTraded, 'quoteMint' | 'isMayhem' | 'virtualQuoteRaw' | 'virtualTokenRaw' | 'realQuoteRaw' | 'realTokenRaw'>
>

/**
 * Returns whether `priceRatio` is valid for the curve. This needs a curve against SOL, not in mayhem mode,
 * with the constant product of its launch.
 */
export function isStandardCurve(state: CurveState): boolean {
  const { virtualQuoteRaw, virtualTokenRaw, realQuoteRaw, realTokenRaw } = state
  if (state.quoteMint !== null || state.isMayhem) return false
  if (virtualQuoteRaw - realQuoteRaw !== launchReserves.quoteRaw) return false
  if (virtualTokenRaw - realTokenRaw !== unsoldVirtualRaw) return false
  const excess = virtualQuoteRaw * virtualTokenRaw - launchProduct
  return excess >= 0n && excess <= productTolerance
}
