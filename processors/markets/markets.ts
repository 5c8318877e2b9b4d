/**
 * The markets of a token: where it is traded, its prices by second for the last 75 minutes, and the remaining
 * liquidity. Only the processor `markets` changes them, and later processors read them. Past prices are kept
 * for the rules about posts, because a post may be recorded late.
 */
import assert from 'node:assert/strict'
import type { Mentioned } from '../../schemas/calls/facts.ts'
import { type Followings, followedUntilMs, forgottenAtMs } from '../../schemas/calls/following.ts'
import { priceMemoryMs } from '../../schemas/calls/retention.ts'
import type { EpochMs, MarketId } from '../../schemas/units.ts'
import { keptOf, noItems, withItem } from '../lean-list.ts'
import { type Line, newLine } from './line.ts'
import { isPulled } from './move.ts'
import { compactPoints, indexAt, type Points, prunePoints, secondOf, valueAt } from './points.ts'
import { isDeeper, type Market, type Quote } from './prices.ts'

export type Markets = {
  /** The markets, in the order of their first prices. */
  lines: readonly Line[]
  /** The time at which the oldest known market of the token opened. */
  bornAtMs: EpochMs | null
  /** The time of the newest price or of the last deletion of old prices, whichever is later. */
  newestAtMs: EpochMs
  /** The time spans in which calls (posts that recommend the token) keep its markets open. */
  followings: Followings
}

export const noMarkets = (): Markets => ({ lines: noItems, bornAtMs: null, newestAtMs: 0, followings: noItems })

/** Returns whether the prices of this time are still in memory. */
export const holds = ({ newestAtMs }: Markets, atMs: EpochMs): boolean => atMs >= newestAtMs - priceMemoryMs

export function lineOf({ lines }: Markets, market: MarketId): Line | undefined {
  for (const line of lines) if (line.market === market) return line
  return undefined
}

const isOpen = ({ closedAtMs }: Line): boolean => closedAtMs === null

export const openLines = ({ lines }: Markets): readonly Line[] => lines.filter(isOpen)

/** Adds a market that has its first price. The new list has no spare capacity, to save memory. */
export function openLine(markets: Markets, opening: Market): Line {
  const { market, openedAtMs } = opening
  const line = newLine(opening)
  markets.lines = withItem(
    markets.lines.filter((known) => known.market !== market),
    line,
  )
  if (openedAtMs !== null) markets.bornAtMs = Math.min(openedAtMs, markets.bornAtMs ?? openedAtMs)
  return line
}

/** The fields of a chat post that decide how long the token's markets are kept open. */
export type Called = Pick<Mentioned, 'postedAtMs' | 'isFollowed'>

/** Returns whether the market is kept open for the whole 48 hours after the call. */
export function isFollowed(
  { followings }: Markets,
  { releasedAtMs, forgottenAtMs: byItself, movedAtMs, idleLifeMs }: Line,
  { postedAtMs, isFollowed: keepsMarkets }: Called,
): boolean {
  const ownMs = releasedAtMs ?? byItself ?? movedAtMs + idleLifeMs
  // With `isFollowed`, calls may keep the market open for longer. For other calls, only the time for which
  // the market is tracked anyway counts.
  const keptMs = keepsMarkets ? forgottenAtMs(ownMs, followings) : ownMs
  return keptMs >= followedUntilMs(postedAtMs)
}

/** Closes a market at `closedAtMs`, rounded up to a whole second. From then on, `next` replaces it. */
export function closeLine(line: Line, closedAtMs: EpochMs, next: MarketId | null): void {
  line.closedAtMs = secondOf(closedAtMs)
  line.next = next
}

/** Deletes what ended more than 75 minutes before `atMs`. Returns whether more must be deleted later. */
export function pruneMarkets(markets: Markets, atMs: EpochMs): boolean {
  const fromMs = atMs - priceMemoryMs
  markets.newestAtMs = Math.max(markets.newestAtMs, atMs)
  markets.lines = keptOf(markets.lines, ({ closedAtMs }) => closedAtMs === null || closedAtMs > fromMs)
  if (markets.lines.length === 0) Object.assign(markets, { bornAtMs: null, newestAtMs: 0 })
  for (const line of markets.lines) eachHistory(line, (points) => prunePoints(points, fromMs))
  return hasPast(markets)
}

/** Frees spare memory. No value is deleted, because a rule about a late post may read it. */
export function compactMarkets(markets: Markets): void {
  for (const line of markets.lines) eachHistory(line, compactPoints)
}

function eachHistory({ prices, depths, fills, lefts }: Line, visit: (points: Points) => void): void {
  visit(prices)
  for (const points of [depths, fills, lefts]) if (points !== null) visit(points)
}

/** Returns whether there are old prices or closed markets that must be deleted later. */
export function hasPast({ lines }: Markets): boolean {
  for (const { closedAtMs, prices } of lines) if (closedAtMs !== null || prices.atMs.length > 1) return true
  return false
}

/** Returns the remaining share of the liquidity now, see `Line.lefts`. */
export const leftNow = ({ lefts }: Line): number => lefts?.value.at(-1) ?? 1

export const leftAt = ({ lefts }: Line, atMs: EpochMs): number => (lefts === null ? 1 : (valueAt(lefts, atMs) ?? 1))

export const pxNow = ({ prices }: Line): number => prices.value.at(-1) as number

/**
 * The market on which an observation continues: the market where it began (the anchor), or the last market
 * that has replaced it. `left` is the remaining share of the liquidity when the observation began. For a
 * replacing market, it is the share right before the replacement.
 */
export type Holding = Readonly<{ market: MarketId; left: number }>

export function holdingOf(markets: Markets, market: MarketId, anchorAtMs: EpochMs): Holding {
  const last = stretchesOf(markets, market, { fromMs: anchorAtMs, toMs: Number.POSITIVE_INFINITY }).at(-1)
  assert(last !== undefined, 'the market of the anchor is not in force at the anchor')
  return { market: last.line.market, left: leftAt(last.line, last.changedFromMs) }
}

/**
 * Returns the market whose price is the price of the token now. This is the open market with liquidity that
 * holds the most coins. If two hold equally many, the one with the lower address is used.
 */
export function deepestNow({ lines }: Markets): Line | null {
  let deepest: Line | null = null
  for (const line of lines) {
    if (!isOpen(line) || leftNow(line) === 0) continue
    if (deepest === null || isDeeper(depthNow(line), depthNow(deepest))) deepest = line
  }
  return deepest
}

function depthNow({ market, depths }: Line) {
  assert(depths !== null, unmeasured)
  return { market, depth: depths.value.at(-1) as number }
}

const unmeasured = 'the depth of a market beside another market was never measured'

/** Returns what `deepestNow` would have returned at `atMs`, among the markets that `fits` accepts. */
export function deepestAt(markets: Markets, atMs: EpochMs, fits: (line: Line) => boolean = () => true): Line | null {
  let deepest: Line | null = null
  for (const line of markets.lines) {
    if (!isPriced(line, atMs) || !fits(line)) continue
    if (deepest === null || isDeeper(depthAt(line, atMs), depthAt(deepest, atMs))) deepest = line
  }
  return deepest
}

/** Returns the depth (the amount of coins in the market) at `atMs`, or 0 if it is no longer in memory. */
function depthAt({ market, depths }: Line, atMs: EpochMs) {
  assert(depths !== null, unmeasured)
  return { market, depth: valueAt(depths, atMs) ?? 0 }
}

const isPriced = (line: Line, atMs: EpochMs): boolean =>
  (line.closedAtMs === null || atMs < line.closedAtMs) && indexAt(line.prices, atMs) >= 0 && leftAt(line, atMs) > 0

/** Returns the price and the other fields of a market at `atMs`. Null: the market had no price yet. */
export function quoteOf({ market, source, openedAtMs, supplyRaw, prices, fills }: Line, atMs: EpochMs): Quote | null {
  const px = valueAt(prices, atMs)
  return px === null ? null : { market, source, px, openedAtMs, fill: fills && valueAt(fills, atMs), supplyRaw }
}

/** Returns the price at `atMs` on the market or its replacement. Null: none, or no longer in memory. */
export function priceAt(markets: Markets, market: MarketId, atMs: EpochMs): number | null {
  const line = lineAt(markets, market, atMs)
  return line && valueAt(line.prices, atMs)
}

/**
 * Returns the first time in `(afterMs, untilMs]` at which a market that `fits` accepts gets a new price.
 * Null: there is none.
 */
export function firstPriceAfter(
  { lines }: Markets,
  { afterMs, untilMs, fits }: Readonly<{ afterMs: EpochMs; untilMs: EpochMs; fits: (line: Line) => boolean }>,
): number | null {
  const firsts = lines.filter(fits).flatMap((line) => {
    // An emptied pool has a price again when it gets liquidity.
    const instants = [...line.prices.atMs, ...(line.lefts?.atMs ?? []).map(secondOf)]
    return instants.filter((atMs) => atMs > afterMs && atMs <= untilMs && isPriced(line, atMs))
  })
  return firsts.length === 0 ? null : Math.min(...firsts)
}

/**
 * The time `(fromMs, toMs]` in which one market is in force, in a series of markets that replace each other.
 * The market's changes of liquidity are used after `changedFromMs`, the block in which it replaced the
 * previous one. Its prices are used only from the end of that second on.
 */
type Stretch = Readonly<{ line: Line; fromMs: EpochMs; toMs: EpochMs; changedFromMs: EpochMs }>
export type Window = Readonly<{ fromMs: EpochMs; toMs: EpochMs }>

/**
 * Returns for the market, and for those that replace it one after the other, the times in the window during
 * which each is in force.
 */
function stretchesOf(markets: Markets, market: MarketId, { fromMs, toMs }: Window): readonly Stretch[] {
  const found: Stretch[] = []
  let line = lineAt(markets, market, fromMs)
  let [sinceMs, changedFromMs] = [fromMs, fromMs]
  while (line !== null) {
    const { closedAtMs, endedAtMs, next } = line
    const untilMs: EpochMs = closedAtMs === null || next === null ? toMs : Math.min(toMs, closedAtMs - 1)
    found.push({ line, fromMs: sinceMs, toMs: untilMs, changedFromMs })
    if (closedAtMs === null || next === null || closedAtMs > toMs) break
    line = lineAt(markets, next, closedAtMs)
    sinceMs = closedAtMs - 1
    assert(endedAtMs !== null, 'the market has a successor but has not ended')
    changedFromMs = Math.max(fromMs, endedAtMs - 1)
  }
  return found
}

/** Returns whether the value at this index exists and its time is at most `toMs`. `toMs` may be infinite. */
const isUntil = ({ atMs }: Points, index: number, toMs: EpochMs): boolean =>
  index < atMs.length && (atMs[index] as number) <= toMs

/** Returns the prices by second in (fromMs, toMs] on the market and its replacements, oldest first. */
export function pricesIn(
  markets: Markets,
  market: MarketId,
  window: Window,
): readonly Readonly<{ atMs: EpochMs; px: number }>[] {
  const found: Readonly<{ atMs: EpochMs; px: number }>[] = []
  for (const [number, { line, fromMs, toMs }] of stretchesOf(markets, market, window).entries()) {
    const { prices } = line
    // The first price of a replacing market is its price at the replacement.
    const taken = number === 0 ? null : valueAt(prices, fromMs + 1)
    if (taken !== null) found.push({ atMs: fromMs + 1, px: taken })
    const first = indexAt(prices, taken === null ? fromMs : fromMs + 1) + 1
    for (let index = first; isUntil(prices, index, toMs); index++)
      found.push({ atMs: prices.atMs[index] as number, px: prices.value[index] as number })
  }
  return found
}

/**
 * Returns the first time in (fromMs, toMs] at which at most the share `leftMax` of the liquidity is left (a
 * pull). The share is relative to the liquidity at `fromMs`. On a replacing market, it is relative to the
 * liquidity at the replacement. Returns null if there is no such time.
 */
export function pulledIn(
  markets: Markets,
  market: MarketId,
  { leftMax, ...window }: Window & Readonly<{ leftMax: number }>,
): number | null {
  for (const { line, changedFromMs: fromMs, toMs } of stretchesOf(markets, market, window)) {
    const { lefts } = line
    if (lefts === null) continue
    const before = leftAt(line, fromMs)
    for (let index = indexAt(lefts, fromMs) + 1; isUntil(lefts, index, toMs); index++)
      if (isPulled(before, lefts.value[index] as number, leftMax)) return lefts.atMs[index] as number
  }
  return null
}

/**
 * Returns the market that is in force at this time: `market`, or one that has replaced it. Null: the market
 * is unknown, or was closed without a replacement.
 */
export function lineAt(markets: Markets, market: MarketId, atMs: EpochMs): Line | null {
  let line = lineOf(markets, market) ?? null
  while (line !== null && line.closedAtMs !== null && atMs >= line.closedAtMs)
    line = line.next === null ? null : (lineOf(markets, line.next) ?? null)
  return line
}
