/** A followed buy and its copy: whether the price rose or fell first, the copy’s fill and its one exit. */
import { copyRules, shadowRules } from '../../../schemas/chain-b/copy-rules.ts'
import type { CopyClosed, CopyExit, CopyOpened } from '../../../schemas/chain-b/derived.ts'
import { type Bought, buyOf, type FeeRates, type Market, marketPx, saleOf } from './market.ts'

/** The copy’s tokens, from its fill on. */
export type Fill = Bought & {
  readonly entryPx: number
  /** Since the trail is active; 0 before, below which no price falls. A price between two looks at the copy is not in it yet. */
  highPx: number
}

export type Copy = {
  readonly opened: CopyOpened
  readonly isBig: boolean
  /** What the wallet bought, and what it paid for a token in all. */
  readonly tokenRaw: number
  readonly lamportsPerToken: number
  readonly rates: FeeRates
  readonly isPoolBuy: boolean
  /** Null until the price has risen or fallen far enough. */
  isHit: boolean | null
  sale: CopyClosed['leaderSale']
  fill: Fill | null
  exit: Readonly<{ ret: number; why: CopyExit; sec: number }> | null
}

const stake = BigInt(copyRules.stakeLamports)

export const stopAtMs = ({ opened }: Copy): number => opened.atMs + copyRules.timeStopMs
export const closeAtMs = ({ opened }: Copy): number => opened.atMs + shadowRules.windowMs

export const hitPx = ({ opened }: Copy): number => shadowRules.hitRatio * opened.px
export const missPx = ({ opened }: Copy): number => shadowRules.missRatio * opened.px

/** Buys for the stake at the reserves that are there. */
export function fillCopy(copy: Copy, market: Market): Fill {
  const { lamports, tokenRaw } = buyOf(market, stake, copy.rates)
  const fill = { lamports, tokenRaw, entryPx: marketPx(market), highPx: 0 }
  copy.fill = fill
  return fill
}

/** Whether the copy still waits for its exit. */
export const isHeld = (copy: Copy): copy is Copy & { fill: Fill } =>
  copy.isBig && copy.fill !== null && copy.exit === null

/** Where the price and the fees of a sale come from. `poolRates`: null if nobody has told those of the pool. */
export type Venue = Readonly<{ market: Market; poolRates: FeeRates | null }>

export function leaveInTime(copy: Copy, venue: Venue): void {
  if (isHeld(copy)) leave(copy, venue, { why: 'time', atMs: stopAtMs(copy) })
}

/** At a price. `highPx` is the highest since the copy was judged last. */
export function judgeCopy(copy: Copy, { px, highPx, atMs }: PriceStep, venue: Venue): void {
  if (copy.isHit === null && px >= hitPx(copy)) copy.isHit = true
  if (copy.isHit === null && px <= missPx(copy)) copy.isHit = false
  if (!isHeld(copy)) return
  const { fill } = copy
  if (fill.highPx > 0) fill.highPx = Math.max(fill.highPx, highPx)
  else if (px >= trailFromPx(fill)) fill.highPx = px
  const why = reasonAt(px, fill)
  if (why !== null) leave(copy, venue, { why, atMs })
}

export type PriceStep = Readonly<{ px: number; highPx: number; atMs: number }>

export const stopPx = ({ entryPx }: Fill): number => copyRules.stopRatio * entryPx
export const trailFromPx = ({ entryPx }: Fill): number => copyRules.trailFromRatio * entryPx
export const takeProfitPx = ({ entryPx }: Fill): number => copyRules.takeProfitRatio * entryPx

function reasonAt(px: number, fill: Fill): CopyExit | null {
  if (px <= stopPx(fill)) return 'stop'
  if (px <= copyRules.trailRatio * fill.highPx) return 'trail'
  return px >= takeProfitPx(fill) ? 'take_profit' : null
}

type Leaving = Readonly<{ why: CopyExit; atMs: number }>

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
