/** The market in which a followed wallet bought: the curve or pool, its reserves, and the cost of trades. */
import { costOfTokens, priceOfRaw, proceedsOfTokens, tokensForCost } from '../../../schemas/chain-b/curve.ts'
import type { CurveMigrated, CurveTraded, PoolTraded } from '../../../schemas/chain-b/facts.ts'
import { costInPool, proceedsInPool, tokensInPool } from '../../../schemas/chain-b/pool.ts'
import type { BlockNumber, Lamports, QuoteRaw } from '../../../schemas/units.ts'

/**
 * A curve or pool with its reserves after the newest trade. Doubles represent the reserves exactly and are
 * faster than bigints.
 */
export type Market = {
  isPool: boolean
  /** The first slot in which the market can be traded. Infinity between the completion of the curve and the opening of its pool. */
  tradableFromSlot: BlockNumber
  quoteRaw: number
  tokenRaw: number
  /** The raw tokens that the curve has left for sale. */
  leftRaw: number
}

export const marketPx = ({ quoteRaw, tokenRaw }: Market): number => priceOfRaw(quoteRaw, tokenRaw)

export type CurveState = Pick<CurveTraded, 'virtualQuoteRaw' | 'virtualTokenRaw' | 'realTokenRaw'>

export function moveOnCurve(market: Market, state: CurveState): void {
  market.quoteRaw = Number(state.virtualQuoteRaw)
  market.tokenRaw = Number(state.virtualTokenRaw)
  market.leftRaw = Number(state.realTokenRaw)
}

export type PoolState = Pick<CurveMigrated, 'poolQuoteRaw' | 'poolTokenRaw'>

export function moveInPool(market: Market, state: PoolState): void {
  market.quoteRaw = Number(state.poolQuoteRaw)
  market.tokenRaw = Number(state.poolTokenRaw)
}

export type Trade = CurveTraded | PoolTraded

/** The fee rates of liquidity providers, protocol, creator and rewards, in this order, in basis points. */
export type FeeRates = readonly [number, number, number, number]

/**
 * Returns the fee rates of a trade. The rates are exact for trades of more than 10,000 lamports, because a
 * fee is rounded by less than one lamport. Fees times 10,000 are far below 2^53, so the division of doubles
 * is as exact as that of integers.
 */
export function feeRatesOf(trade: Trade): FeeRates {
  const lamports = Number(trade.quoteRaw)
  return [
    'lpFeeRaw' in trade ? rateOf(trade.lpFeeRaw, lamports) : 0,
    rateOf(trade.feeRaw, lamports),
    rateOf(trade.creatorFeeRaw, lamports),
    rateOf(trade.rewardsRaw, lamports),
  ]
}

const rateOf = (fee: QuoteRaw, lamports: number): number => Math.floor((Number(fee) * 10_000) / lamports)

const feesOn = (lamports: number, [provider, protocol, creator, rewards]: FeeRates): number =>
  feeOn(lamports, provider) + feeOn(lamports, protocol) + feeOn(lamports, creator) + feeOn(lamports, rewards)

const feeOn = (lamports: number, rate: number): number => Math.ceil((lamports * rate) / 10_000)

/**
 * Returns the price that a buyer paid including fees, or that a seller received after fees, in lamports per
 * raw token. Amounts of a sale are negative, so adding the fees lowers the price of a sale.
 */
export function lamportsPerToken(trade: Trade): number {
  const fees = Number(trade.feeRaw) + Number(trade.creatorFeeRaw) + Number(trade.rewardsRaw)
  const providerFee = 'lpFeeRaw' in trade ? Number(trade.lpFeeRaw) : 0
  return (Number(trade.quoteRaw) + fees + providerFee) / Number(trade.tokenRaw)
}

/** The result of a simulated purchase. `lamports` is the cost including all fees. */
export type Bought = Readonly<{ lamports: number; tokenRaw: number }>

/** Computes a purchase for the stake, in lamports. Call this function only for a market that can be traded. */
export function buyOf(market: Market, stake: Lamports, rates: FeeRates): Bought {
  const reserves = { quoteRaw: BigInt(market.quoteRaw), tokenRaw: BigInt(market.tokenRaw) }
  if (market.isPool) {
    const tokens = tokensInPool(reserves, stake)
    return withFees(Number(costInPool(reserves, tokens)), Number(tokens), rates)
  }
  const tokens = Number(tokensForCost(reserves, stake))
  if (tokens <= market.leftRaw) return withFees(Number(stake), tokens, rates)
  return withFees(Number(costOfTokens(reserves, BigInt(market.leftRaw))), market.leftRaw, rates)
}

const withFees = (cost: number, tokenRaw: number, rates: FeeRates): Bought => ({
  lamports: cost + feesOn(cost, rates),
  tokenRaw,
})

/**
 * Returns what a sale earns after fees, in lamports. Also works on a completed curve whose pool is not open
 * yet.
 */
export function saleOf(market: Market, tokenRaw: number, rates: FeeRates): number {
  const reserves = { quoteRaw: BigInt(market.quoteRaw), tokenRaw: BigInt(market.tokenRaw) }
  const proceedsOf = market.isPool ? proceedsInPool : proceedsOfTokens
  const proceeds = Number(proceedsOf(reserves, BigInt(tokenRaw)))
  return proceeds - feesOn(proceeds, rates)
}
