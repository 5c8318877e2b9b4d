/**
 * A purchase by a followed wallet, and a simulated purchase that repeats it (the copy). Computes which price
 * limit is reached first, the purchase price of the copy, and its sale.
 */
import type { CopyRules, ShadowRules } from '../../../schemas/chain-b/copy-rules.ts'
import { type CopyClosed, type CopyExit, copyExits } from '../../../schemas/chain-b/derived.ts'
import type { DurationMs, EpochMs, Lamports } from '../../../schemas/units.ts'
import type { Copy } from './copy-rows.ts'
import {
  buyOf,
  type FeeRates,
  feeRatesOf,
  lamportsPerToken,
  type Market,
  marketPx,
  saleOf,
  type Trade,
} from './market.ts'

type CopyRuleSets = Readonly<{ shadow: ShadowRules; copy: CopyRules }>

/**
 * The rules of copies (simulated purchases), with values computed from them. `marksMs` are the times after
 * the purchase for which a return is recorded.
 */
export type CopyLimits = ShadowRules & CopyRules & Readonly<{ stake: Lamports; marksMs: readonly DurationMs[] }>

export const copyLimitsOf = ({ shadow, copy }: CopyRuleSets): CopyLimits => ({
  ...shadow,
  ...copy,
  stake: BigInt(copy.stakeLamports),
  marksMs: shadow.pathSec.map((sec) => sec * 1000),
})

type Purchase = Readonly<{ px: number; isPool: boolean; limits: CopyLimits }>

/** Fills in the new row of a copy. `px` is the price after the purchase `trade`. */
export function openCopy(copy: Copy, trade: Trade, { px, isPool, limits }: Purchase): void {
  const [providerRate, protocolRate, creatorRate, rewardsRate] = feeRatesOf(trade)
  copy.atMs = trade.blockAtMs
  copy.slot = trade.blockNumber
  copy.logIndex = trade.logIndex
  copy.px = px
  copy.lamportsPerToken = lamportsPerToken(trade)
  copy.providerRate = providerRate
  copy.protocolRate = protocolRate
  copy.creatorRate = creatorRate
  copy.rewardsRate = rewardsRate
  copy.isBig = Number(trade.quoteRaw) >= limits.bigLamportsMin ? 1 : 0
  copy.isPoolBuy = isPool ? 1 : 0
  copy.highPx = 0
}

export const stopAtMs = ({ atMs }: Copy, { timeStopMs }: CopyLimits): EpochMs => atMs + timeStopMs
export const closeAtMs = ({ atMs }: Copy, { windowMs }: CopyLimits): EpochMs => atMs + windowMs

export const hitPx = ({ px }: Copy, { hitRatio }: CopyLimits): number => hitRatio * px
export const missPx = ({ px }: Copy, { missRatio }: CopyLimits): number => missRatio * px

/** Returns whether the price has reached neither `hitPx` nor `missPx`. */
export const isUndecided = ({ isHit }: Copy): boolean => Number.isNaN(isHit)

const isFilled = ({ entryPx }: Copy): boolean => !Number.isNaN(entryPx)

/** Simulates the purchase of the copy: buys for the stake at the current reserves of the market. */
export function fillCopy(copy: Copy, market: Market, limits: CopyLimits): void {
  const { lamports, tokenRaw } = buyOf(market, limits.stake, ratesOf(copy))
  copy.fillLamports = lamports
  copy.fillTokenRaw = tokenRaw
  copy.entryPx = marketPx(market)
}

const ratesOf = ({ providerRate, protocolRate, creatorRate, rewardsRate }: Copy): FeeRates => [
  ...([providerRate, protocolRate, creatorRate, rewardsRate] as const),
]

/** Returns whether the copy currently holds tokens: it is big, it has bought, and it has not sold. */
export const isHeld = (copy: Copy): boolean => copy.isBig === 1 && isFilled(copy) && Number.isNaN(copy.exit)

/**
 * The market and the fees of a simulated sale. `poolRates` is null if no trade has shown the fees of the
 * pool.
 */
export type Venue = Readonly<{ market: Market; poolRates: FeeRates | null }>

export function leaveInTime(copy: Copy, venue: Venue, limits: CopyLimits): void {
  if (isHeld(copy)) leave(copy, venue, { why: 'time', atMs: stopAtMs(copy, limits) })
}

/**
 * Checks whether a price reaches a limit of the copy, and sells the copy if necessary. `highPx` is the
 * highest price after the last check of the copy.
 */
export function judgeCopy(copy: Copy, { px, highPx, atMs, venue }: PriceStep, limits: CopyLimits): void {
  if (isUndecided(copy) && px >= hitPx(copy, limits)) copy.isHit = 1
  if (isUndecided(copy) && px <= missPx(copy, limits)) copy.isHit = 0
  if (!isHeld(copy)) return
  if (copy.highPx > 0) copy.highPx = Math.max(copy.highPx, highPx)
  else if (px >= trailFromPx(copy, limits)) copy.highPx = px
  const why = reasonAt(px, copy, limits)
  if (why !== null) leave(copy, venue, { why, atMs })
}

export type PriceStep = Readonly<{ px: number; highPx: number; atMs: EpochMs; venue: Venue }>

export const stopPx = ({ entryPx }: Copy, { stopRatio }: CopyLimits): number => stopRatio * entryPx
export const trailFromPx = ({ entryPx }: Copy, { trailFromRatio }: CopyLimits): number => trailFromRatio * entryPx
export const takeProfitPx = ({ entryPx }: Copy, { takeProfitRatio }: CopyLimits): number => takeProfitRatio * entryPx

function reasonAt(px: number, copy: Copy, limits: CopyLimits): CopyExit | null {
  if (px <= stopPx(copy, limits)) return 'stop'
  if (px <= limits.trailRatio * copy.highPx) return 'trail'
  return px >= takeProfitPx(copy, limits) ? 'take_profit' : null
}

type Leaving = Readonly<{ why: CopyExit; atMs: EpochMs }>

function leave(copy: Copy, { market, poolRates }: Venue, { why, atMs }: Leaving): void {
  const own = ratesOf(copy)
  const rates = market.isPool && copy.isPoolBuy === 0 ? (poolRates ?? own) : own
  copy.ret = saleOf(market, copy.fillTokenRaw, rates) / copy.fillLamports - 1
  copy.exit = copyExits.indexOf(why)
  copy.exitSec = Math.floor((atMs - copy.atMs) / 1000)
}

export function closedOf(copy: Copy, path: number[]): CopyClosed {
  const { px, entryPx, fillLamports, fillTokenRaw, lamportsPerToken, exit } = copy
  const { saleAfterSec: afterSec, saleShare: share, saleGain: gain } = copy
  const isCopyFilled = isFilled(copy)
  const why = copyExits[exit] ?? null
  return {
    atMs: copy.atMs,
    txHash: copy.txHash,
    logIndex: copy.logIndex,
    wallet: copy.wallet,
    isHit: copy.isHit === 1,
    path,
    leaderSale: Number.isNaN(afterSec) ? null : { afterSec, share, gain },
    quoteDrift: isCopyFilled ? entryPx / px - 1 : null,
    fillSlip: isCopyFilled ? fillLamports / fillTokenRaw / lamportsPerToken - 1 : null,
    ret: why && copy.ret,
    exit: why,
    exitSec: why && copy.exitSec,
  }
}
