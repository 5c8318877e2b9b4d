/**
 * The arithmetic of the pool of a graduated mint, which is a constant product. `quoteRaw` is the sum of the
 * pool's balance and the pool's virtual quote reserve.
 */

import type { QuoteRaw, TokenRaw } from '../units.ts'
import type { Reserves } from './curve.ts'

/** Returns the amount that a buyer pays for `tokens` raw tokens, before fees. */
export const costInPool = ({ quoteRaw, tokenRaw }: Reserves, tokens: TokenRaw): QuoteRaw => {
  const left = tokenRaw - tokens
  return (quoteRaw * tokens + left - 1n) / left
}

/** Returns the maximum number of raw tokens that cost at most `cost`. */
export const tokensInPool = ({ quoteRaw, tokenRaw }: Reserves, cost: QuoteRaw): TokenRaw =>
  (cost * tokenRaw) / (quoteRaw + cost)

/** Returns the amount that a seller gets for `tokens` raw tokens, before fees. */
export const proceedsInPool = ({ quoteRaw, tokenRaw }: Reserves, tokens: TokenRaw): QuoteRaw =>
  (quoteRaw * tokens) / (tokenRaw + tokens)

/**
 * A trade in a pool. As in the facts, both amounts are positive for a buy and negative for a sell. `lpFeeRaw`
 * is the fee that stays in the pool.
 */
type PoolTrade = Readonly<{ quoteRaw: QuoteRaw; tokenRaw: TokenRaw; lpFeeRaw: QuoteRaw }>

/** Returns the reserves after a trade. The pool's events contain only the reserves before the trade. */
export const afterPoolTrade = (before: Reserves, { quoteRaw, tokenRaw, lpFeeRaw }: PoolTrade): Reserves => ({
  quoteRaw: before.quoteRaw + quoteRaw + lpFeeRaw,
  tokenRaw: before.tokenRaw - tokenRaw,
})

/** Returns the reserves before a trade. They are computed from the reserves after the trade. */
export const beforePoolTrade = (
  trade: PoolTrade & Readonly<{ poolQuoteRaw: QuoteRaw; poolTokenRaw: TokenRaw }>,
): Reserves => ({
  quoteRaw: trade.poolQuoteRaw - trade.quoteRaw - trade.lpFeeRaw,
  tokenRaw: trade.poolTokenRaw + trade.tokenRaw,
})
