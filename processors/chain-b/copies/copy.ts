/**
 * A purchase by a followed wallet, and a simulated purchase that repeats it (the copy). Computes which price
 * limit is reached first, the purchase price of the copy, and its sale.
 */
import type { CopyRules, ShadowRules } from '../../../schemas/chain-b/copy-rules.ts'
import type { CopyClosed, CopyExit, CopyOpened } from '../../../schemas/chain-b/derived.ts'
import type { DurationMs, EpochMs, Lamports } from '../../../schemas/units.ts'
import { type Bought, buyOf, type FeeRates, type Market, marketPx, saleOf } from './market.ts'

/** The simulated purchase of a copy, and the prices that decide when the copy is sold. */
export type Fill = Bought & {
  readonly entryPx: number
  /**
   * The highest price while the trailing stop is active, up to the last check of the copy. 0 before that, so
   * that no price can trigger the trailing stop.
   */
  highPx: number
}

export type Copy = {
  readonly opened: CopyOpened
  readonly isBig: boolean
  /** The raw tokens that the wallet bought. */
  readonly tokenRaw: number
  /** The price that the wallet paid, including all fees, in lamports per raw token. */
  readonly lamportsPerToken: number
  readonly rates: FeeRates
  readonly isPoolBuy: boolean
  /** Whether the price reached `hitPx` before `missPx`. Null: neither was reached yet. */
  isHit: boolean | null
  sale: CopyClosed['leaderSale']
  fill: Fill | null
  exit: Readonly<{ ret: number; why: CopyExit; sec: number }> | null
}

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

export const stopAtMs = ({ opened }: Copy, { timeStopMs }: CopyLimits): EpochMs => opened.atMs + timeStopMs
export const closeAtMs = ({ opened }: Copy, { windowMs }: CopyLimits): EpochMs => opened.atMs + windowMs

export const hitPx = ({ opened }: Copy, { hitRatio }: CopyLimits): number => hitRatio * opened.px
export const missPx = ({ opened }: Copy, { missRatio }: CopyLimits): number => missRatio * opened.px

/** Simulates the purchase of the copy: buys for the stake at the current reserves of the market. */
export function fillCopy(copy: Copy, market: Market, limits: CopyLimits): Fill {
  const { lamports, tokenRaw } = buyOf(market, limits.stake, copy.rates)
  const fill = { lamports, tokenRaw, entryPx: marketPx(market), highPx: 0 }
  copy.fill = fill
  return fill
}

/** Returns whether the copy currently holds tokens: it is big, it has bought, and it has not sold. */
export const isHeld = (copy: Copy): copy is Copy & { fill: Fill } =>
  copy.isBig && copy.fill !== null && copy.exit === null

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
  if (copy.isHit === null && px >= hitPx(copy, limits)) copy.isHit = true
  if (copy.isHit === null && px <= missPx(copy, limits)) copy.isHit = false
  if (!isHeld(copy)) return
  const { fill } = copy
  if (fill.highPx > 0) fill.highPx = Math.max(fill.highPx, highPx)
  else if (px >= trailFromPx(fill, limits)) fill.highPx = px
  const why = reasonAt(px, fill, limits)
  if (why !== null) leave(copy, venue, { why, atMs })
}

export type PriceStep = Readonly<{ px: number; highPx: number; atMs: EpochMs; venue: Venue }>

export const stopPx = ({ entryPx }: Fill, { stopRatio }: CopyLimits): number => stopRatio * entryPx
export const trailFromPx = ({ entryPx }: Fill, { trailFromRatio }: CopyLimits): number => trailFromRatio * entryPx
export const takeProfitPx = ({ entryPx }: Fill, { takeProfitRatio }: CopyLimits): number => takeProfitRatio * entryPx

function reasonAt(px: number, fill: Fill, limits: CopyLimits): CopyExit | null {
  if (px <= stopPx(fill, limits)) return 'stop'
  if (px <= limits.trailRatio * fill.highPx) return 'trail'
  return px >= takeProfitPx(fill, limits) ? 'take_profit' : null
}

type Leaving = Readonly<{ why: CopyExit; atMs: EpochMs }>

function leave(copy: Copy & { fill: Fill }, { market, poolRates }: Venue, { why, atMs }: Leaving): void {
  const { opened, fill, isPoolBuy } = copy
  const rates = market.isPool && !isPoolBuy ? (poolRates ?? copy.rates) : copy.rates
  const ret = saleOf(market, fill.tokenRaw, rates) / fill.lamports - 1
  copy.exit = { ret, why, sec: Math.floor((atMs - opened.atMs) / 1000) }
}

export function closedOf(copy: Copy, path: number[]): CopyClosed {
  const { opened, fill, exit } = copy
  return {
    atMs: opened.atMs,
    txHash: opened.txHash,
    logIndex: opened.logIndex,
    wallet: opened.wallet,
    isHit: copy.isHit === true,
    path,
    leaderSale: copy.sale,
    quoteDrift: fill && fill.entryPx / opened.px - 1,
    fillSlip: fill && fill.lamports / fill.tokenRaw / copy.lamportsPerToken - 1,
    ret: exit?.ret ?? null,
    exit: exit?.why ?? null,
    exitSec: exit?.sec ?? null,
  }
}
