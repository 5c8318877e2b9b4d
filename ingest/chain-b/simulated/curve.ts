/**
 * Simulates one bonding curve and its holders, as mutable state. The integer arithmetic is the same as in the
 * pump program.
 */
import {
  afterTrade,
  costOfTokens,
  feeOf,
  forSaleRaw,
  launchReserves,
  proceedsOfTokens,
  type Reserves,
  tokensForCost,
} from '../../../schemas/chain-b/curve.ts'
import type { Address, QuoteRaw, TokenRaw } from '../../../schemas/units.ts'
import type { Draft } from './draft.ts'
import type { Holders } from './holders.ts'
import { usdcMint } from './identities.ts'
import type { MintPlan } from './plan.ts'

export type Curve = {
  readonly plan: MintPlan
  readonly quoteMint: Address | null
  /** The number of raw units of the quote coin that are worth one SOL. */
  readonly rawPerSol: number
  readonly startQuoteRaw: QuoteRaw
  virtual: Reserves
  realTokenRaw: TokenRaw
  readonly holders: Holders
  /**
   * The reserves of the curve's pool after the last trade in the pool. Null before the first trade in the
   * pool. That trade may happen before the pool opens.
   */
  poolReserves: Reserves | null
}

/**
 * The USDC that the simulator counts as one SOL, in raw units: 150 USDC. So a curve against USDC also starts
 * with reserves worth 30 SOL.
 */
const usdcRawPerSol = 150_000_000
const lamportsPerSol = 1_000_000_000
const startSol = 30

export function openCurve(plan: MintPlan, holders: Holders): Curve {
  const rawPerSol = plan.isUsdc ? usdcRawPerSol : lamportsPerSol
  const startQuoteRaw = BigInt(startSol * rawPerSol)
  return {
    plan,
    quoteMint: plan.isUsdc ? usdcMint : null,
    rawPerSol,
    startQuoteRaw,
    holders,
    virtual: { quoteRaw: startQuoteRaw, tokenRaw: launchReserves.tokenRaw },
    realTokenRaw: forSaleRaw,
    poolReserves: null,
  }
}

export const isComplete = ({ realTokenRaw }: Curve): boolean => realTokenRaw === 0n

export const rawOf = ({ rawPerSol }: Pick<Curve, 'rawPerSol'>, sol: number): bigint =>
  BigInt(Math.round(sol * rawPerSol))

/** Returns the net amount that traders have paid into the curve, in SOL. */
export const solIn = ({ virtual, startQuoteRaw, rawPerSol }: Curve): number =>
  Number(virtual.quoteRaw - startQuoteRaw) / rawPerSol

export const realQuoteRaw = ({ virtual, startQuoteRaw }: Curve): QuoteRaw => virtual.quoteRaw - startQuoteRaw

/** The amounts of a trade. Both are positive in a buy and negative in a sale, as in the recorded trades. */
export type Amounts = Readonly<{ tokenRaw: TokenRaw; quoteRaw: QuoteRaw }>

/**
 * Returns the amounts of a buy for `quoteRaw`. If the remaining tokens cost less, the buy takes all of them.
 * If `isExact` is true, the buyer spends exactly `quoteRaw`. Otherwise the buyer gets a number of whole
 * tokens, rounded down.
 */
export function amountsOfBuy({ virtual, realTokenRaw }: Curve, quoteRaw: QuoteRaw, isExact: boolean): Amounts {
  const tokenRaw = tokensForCost(virtual, quoteRaw)
  if (tokenRaw >= realTokenRaw) return { tokenRaw: realTokenRaw, quoteRaw: costOfTokens(virtual, realTokenRaw) }
  if (isExact) return { tokenRaw, quoteRaw }
  const whole = tokenRaw - (tokenRaw % 1_000_000n)
  return { tokenRaw: whole, quoteRaw: costOfTokens(virtual, whole) }
}

export const amountsOfSale = ({ virtual }: Curve, tokens: TokenRaw): Amounts => ({
  tokenRaw: -tokens,
  quoteRaw: -proceedsOfTokens(virtual, tokens),
})

/** Returns the number of tokens whose sale pays about this amount of the quote coin. */
export const tokensWorth = ({ virtual: { quoteRaw, tokenRaw } }: Curve, paidRaw: bigint): bigint =>
  paidRaw >= quoteRaw ? 0n : (tokenRaw * paidRaw) / (quoteRaw - paidRaw)

/** Applies the trade to the curve and to the trader's token balance. */
export function trade(curve: Curve, wallet: number, amounts: Amounts): void {
  curve.virtual = afterTrade(curve.virtual, amounts)
  curve.realTokenRaw -= amounts.tokenRaw
  curve.holders.add(wallet, amounts.tokenRaw)
}

const protocolBps = 95n
const creatorBps = 30n
const sizeOf = (amount: bigint): bigint => (amount < 0n ? -amount : amount)

type Fees = Readonly<{ feeRaw: QuoteRaw; creatorFeeRaw: QuoteRaw; rewardsRaw: QuoteRaw }>

export const noFees: Fees = { feeRaw: 0n, creatorFeeRaw: 0n, rewardsRaw: 0n }

export function feesOf({ plan }: Curve, { quoteRaw }: Amounts): Fees {
  const size = sizeOf(quoteRaw)
  return {
    feeRaw: feeOf(size, protocolBps),
    creatorFeeRaw: feeOf(size, creatorBps),
    rewardsRaw: feeOf(size, plan.rewardsBps),
  }
}

/** Returns the record of the trade that was just applied to the curve. */
export function draftOfTrade(
  curve: Curve,
  trader: Address,
  { amounts, fees }: Readonly<{ amounts: Amounts; fees: Fees }>,
): Draft {
  const { plan, virtual, quoteMint, realTokenRaw } = curve
  return {
    type: 'CurveTraded',
    data: {
      trader,
      tokenRaw: amounts.tokenRaw,
      quoteRaw: amounts.quoteRaw,
      feeRaw: fees.feeRaw,
      creatorFeeRaw: fees.creatorFeeRaw,
      rewardsRaw: fees.rewardsRaw,
      virtualQuoteRaw: virtual.quoteRaw,
      virtualTokenRaw: virtual.tokenRaw,
      realQuoteRaw: realQuoteRaw(curve),
      realTokenRaw,
      quoteMint,
      isMayhem: plan.isMayhem,
    },
  }
}
