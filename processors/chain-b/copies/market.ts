/** Where the token of a followed buy is traded, at which reserves, and what its trades cost. */
import {
  costOfTokens,
  feeOf,
  priceOfRaw,
  proceedsOfTokens,
  type Reserves,
  tokensForCost,
} from '../../../schemas/chain-b/curve.ts'
import type { CurveMigrated, CurveTraded, PoolTraded } from '../../../schemas/chain-b/facts.ts'
import { costInPool, proceedsInPool, tokensInPool } from '../../../schemas/chain-b/pool.ts'

/** The reserves after the newest trade. Doubles hold them exactly and cost less than bigints. */
export type Market = {
  isPool: boolean
  /** Infinite from the completion of the curve until its pool opens. */
  tradableFromSlot: number
  quoteRaw: number
  tokenRaw: number
  /** What the curve has left for sale. */
  leftRaw: number
}

export const marketPx = ({ quoteRaw, tokenRaw }: Market): number => priceOfRaw(quoteRaw, tokenRaw)

export type CurveState = Pick<CurveTraded, 'virtualQuoteRaw' | 'virtualTokenRaw' | 'realTokenRaw'>

export function moveOnCurve(market: Market, { virtualQuoteRaw, virtualTokenRaw, realTokenRaw }: CurveState): void {
  market.quoteRaw = Number(virtualQuoteRaw)
  market.tokenRaw = Number(virtualTokenRaw)
  market.leftRaw = Number(realTokenRaw)
}

export type PoolState = Pick<CurveMigrated, 'poolQuoteRaw' | 'poolTokenRaw'>

export function moveInPool(market: Market, { poolQuoteRaw, poolTokenRaw }: PoolState): void {
  market.quoteRaw = Number(poolQuoteRaw)
  market.tokenRaw = Number(poolTokenRaw)
}

/** Of each kind of fee, in basis points. */
export type FeeRates = readonly number[]

export type Trade = CurveTraded | PoolTraded

const feesOf = (trade: Trade): readonly bigint[] => [
  'lpFeeRaw' in trade ? trade.lpFeeRaw : 0n,
  trade.feeRaw,
  trade.creatorFeeRaw,
  trade.rewardsRaw,
]

/** Exact for a trade of more than 10,000 lamports, because a fee is rounded by less than one. */
export const feeRatesOf = (trade: Trade): FeeRates =>
  feesOf(trade).map((fee) => Number((fee * 10_000n) / trade.quoteRaw))

/** What a buyer paid in all, or a seller got: the fees come on top of a buy and off a sale. */
export type Deal = Readonly<{ lamports: number; tokenRaw: number }>

/** Both of a buy or a sale are positive. */
export const dealOf = (trade: Trade): Deal => ({
  lamports: Math.abs(Number(feesOf(trade).reduce(add, trade.quoteRaw))),
  tokenRaw: Math.abs(Number(trade.tokenRaw)),
})

/** Expects a market that can be traded. */
export function buyOf(market: Market, stake: bigint, rates: FeeRates): Deal {
  const reserves = reservesOf(market)
  const { cost, tokens } = market.isPool ? buyInPool(reserves, stake) : buyOnCurve(market, reserves, stake)
  return { lamports: Number(cost + feesOn(cost, rates)), tokenRaw: Number(tokens) }
}

/** Of a complete curve too, whose pool is not there yet. Returns the lamports. */
export function saleOf(market: Market, tokenRaw: number, rates: FeeRates): number {
  const proceedsOf = market.isPool ? proceedsInPool : proceedsOfTokens
  const proceeds = proceedsOf(reservesOf(market), BigInt(tokenRaw))
  return Number(proceeds - feesOn(proceeds, rates))
}

type Bought = Readonly<{ cost: bigint; tokens: bigint }>

function buyInPool(reserves: Reserves, stake: bigint): Bought {
  const tokens = tokensInPool(reserves, stake)
  return { cost: costInPool(reserves, tokens), tokens }
}

function buyOnCurve({ leftRaw }: Market, reserves: Reserves, stake: bigint): Bought {
  const left = BigInt(leftRaw)
  const tokens = tokensForCost(reserves, stake)
  return tokens <= left ? { cost: stake, tokens } : { cost: costOfTokens(reserves, left), tokens: left }
}

const reservesOf = ({ quoteRaw, tokenRaw }: Market): Reserves => ({
  quoteRaw: BigInt(quoteRaw),
  tokenRaw: BigInt(tokenRaw),
})

const feesOn = (lamports: bigint, rates: FeeRates): bigint =>
  rates.map((rate) => feeOf(lamports, BigInt(rate))).reduce(add, 0n)

const add = (left: bigint, right: bigint): bigint => left + right
