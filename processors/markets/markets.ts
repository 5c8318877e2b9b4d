/**
 * The markets of a token: where it trades, its prices by second for the last 75 minutes, and how much of the liquidity is left.
 * Rules behind the fold read them and never change them. Whatever a call needs is read from here when it is due, so it does not
 * matter when the post became known.
 */
import type { Mentioned } from '../../schemas/calls/facts.ts'
import { type Followings, followedUntilMs, forgottenAtMs } from '../../schemas/calls/following.ts'
import { priceMemoryMs } from '../../schemas/calls/retention.ts'
import type { EpochMs, MarketId } from '../../schemas/units.ts'
import { isPulled } from './move.ts'
import { indexAt, noPoints, type Points, prunePoints, secondOf, valueAt } from './points.ts'
import { isDeeper, type Market, type Quote } from './prices.ts'

/** A market with its prices. */
export type Line = Pick<Market, 'market' | 'source' | 'openedAtMs' | 'supplyRaw' | 'forgottenAtMs' | 'idleLifeMs'> & {
  readonly prices: Points
  /** Depths over time, kept while the token has several markets, to find the deepest one at any instant. */
  depths: Points | null
  /** For a curve, the fill at which it entered each band (`bandOf`). No rule reads the fill in between. */
  fills: Points | null
  /** The fill of a curve now, 0-1; null for a pool. */
  fill: number | null
  /**
   * How much of the liquidity is left since the market became known: the product of the ratios of all transactions that changed it.
   * 0 while there is no position; a refilled pool begins at 1 again. Kept at exact instants, because two changes in one second may
   * be a pull. Null: it was always 1.
   */
  lefts: Points | null
  /** Time of the last trade, opening price or change of liquidity. */
  movedAtMs: EpochMs
  /** When the curve was complete, which ends trading there. */
  endedAtMs: EpochMs | null
  /** When the stage would have closed it, if a call keeps it open. Null: the stage still follows it. */
  releasedAtMs: EpochMs | null
  /** The end of the second in which it was closed. Null: it is open. */
  closedAtMs: EpochMs | null
  /** The successor, such as the pool after a curve. */
  next: MarketId | null
}

export type Markets = {
  /** In the order of the first prices. */
  lines: Line[]
  /** When the oldest known market of the token opened. */
  bornAtMs: EpochMs | null
  /** The time of the newest price, or the last time of pruning if that is later. */
  newestAtMs: EpochMs
  /** How long calls of the token keep its markets. */
  followings: Followings
}

export const noMarkets = (): Markets => ({ lines: [], bornAtMs: null, newestAtMs: 0, followings: [] })

/** Whether the prices of the instant are still in memory. */
export const holds = ({ newestAtMs }: Markets, atMs: EpochMs): boolean => atMs >= newestAtMs - priceMemoryMs

export function lineOf({ lines }: Markets, market: MarketId): Line | undefined {
  for (const line of lines) if (line.market === market) return line
  return undefined
}

const isOpen = ({ closedAtMs }: Line): boolean => closedAtMs === null

export const openLines = ({ lines }: Markets): readonly Line[] => lines.filter(isOpen)

/** Adds a market that has its first price. Builds a list without spare capacity, because most tokens stay with one market. */
export function openLine(markets: Markets, opening: Market): Line {
  const { market, source, openedAtMs, supplyRaw, forgottenAtMs, idleLifeMs, fill } = opening
  const line: Line = {
    ...{ market, source, openedAtMs, supplyRaw, forgottenAtMs, idleLifeMs, fill },
    ...{ prices: noPoints(), depths: null, fills: null, lefts: null },
    ...{ movedAtMs: 0, endedAtMs: null, closedAtMs: null, next: null, releasedAtMs: null },
  }
  markets.lines = [...markets.lines.filter((known) => known.market !== market), line]
  if (openedAtMs !== null) markets.bornAtMs = Math.min(openedAtMs, markets.bornAtMs ?? openedAtMs)
  return line
}

/** The fields of a call that decide how long the markets of its token are followed. */
export type Called = Pick<Mentioned, 'postedAtMs' | 'isFollowed'>

/** Whether the market is followed to the end of the watch of the call. */
export function isFollowed(
  { followings }: Markets,
  { releasedAtMs, forgottenAtMs: byItself, movedAtMs, idleLifeMs }: Line,
  { postedAtMs, isFollowed: keepsMarkets }: Called,
): boolean {
  const ownMs = releasedAtMs ?? byItself ?? movedAtMs + idleLifeMs
  // A call with `isFollowed` also counts on the markets that later calls keep; other calls count on the stage alone.
  const keptMs = keepsMarkets ? forgottenAtMs(ownMs, followings) : ownMs
  return keptMs >= followedUntilMs(postedAtMs)
}

/** Closes a market. From the end of that second on, `next` replaces it. */
export function closeLine(line: Line, closedAtMs: EpochMs, next: MarketId | null): void {
  line.closedAtMs = secondOf(closedAtMs)
  line.next = next
}

/** Forgets prices and markets that ended more than 75 minutes before the instant. Returns whether there is more to forget later. */
export function pruneMarkets(markets: Markets, atMs: EpochMs): boolean {
  const fromMs = atMs - priceMemoryMs
  markets.newestAtMs = Math.max(markets.newestAtMs, atMs)
  markets.lines = markets.lines.filter(({ closedAtMs }) => closedAtMs === null || closedAtMs > fromMs)
  if (markets.lines.length === 0) Object.assign(markets, { bornAtMs: null, newestAtMs: 0 })
  for (const { prices, depths, fills, lefts } of markets.lines) {
    prunePoints(prices, fromMs)
    for (const points of [depths, fills, lefts]) if (points !== null) prunePoints(points, fromMs)
  }
  return hasPast(markets)
}

/** Whether there is anything to prune later. */
export function hasPast({ lines }: Markets): boolean {
  for (const { closedAtMs, prices } of lines) if (closedAtMs !== null || prices.atMs.length > 1) return true
  return false
}

/** How much of the liquidity is left now. */
export const leftNow = ({ lefts }: Line): number => lefts?.value.at(-1) ?? 1

export const leftAt = ({ lefts }: Line, atMs: EpochMs): number => (lefts === null ? 1 : (valueAt(lefts, atMs) ?? 1))

export const pxNow = ({ prices }: Line): number => prices.value.at(-1) as number

/** An anchor's market today: the market or its last successor, and how much of that market's liquidity was left at the anchor. */
export type Holding = Readonly<{ market: MarketId; left: number }>

export function holdingOf(markets: Markets, market: MarketId, anchorAtMs: EpochMs): Holding {
  const last = stretchesOf(markets, market, { fromMs: anchorAtMs, toMs: Number.POSITIVE_INFINITY }).at(-1)
  return last === undefined
    ? { market, left: 1 }
    : { market: last.line.market, left: leftAt(last.line, last.changedFromMs) }
}

/** The market that prices the token now: the deepest one that is not emptied. Among equals, the first by address. */
export function deepestNow({ lines }: Markets): Line | null {
  let deepest: Line | null = null
  for (const line of lines) {
    if (!isOpen(line) || leftNow(line) === 0) continue
    if (deepest === null || isDeeper(depthNow(line), depthNow(deepest))) deepest = line
  }
  return deepest
}

const depthNow = ({ market, depths }: Line) => ({ market, depth: depths?.value.at(-1) ?? 0 })

/** The market that prices the token at the instant, by the same rule. `fits` selects the candidates. */
export function deepestAt(markets: Markets, atMs: EpochMs, fits: (line: Line) => boolean = () => true): Line | null {
  let deepest: Line | null = null
  for (const line of markets.lines) {
    if (!isPriced(line, atMs) || !fits(line)) continue
    if (deepest === null || isDeeper(depthAt(line, atMs), depthAt(deepest, atMs))) deepest = line
  }
  return deepest
}

/** The depth at the instant, 0 if the market was the only one then. */
const depthAt = ({ market, depths }: Line, atMs: EpochMs) => ({
  market,
  depth: depths === null ? 0 : (valueAt(depths, atMs) ?? 0),
})

const isPriced = (line: Line, atMs: EpochMs): boolean =>
  (line.closedAtMs === null || atMs < line.closedAtMs) && indexAt(line.prices, atMs) >= 0 && leftAt(line, atMs) > 0

/** The quote of a line at an instant. Null: it had no price yet. */
export function quoteOf({ market, source, openedAtMs, supplyRaw, prices, fills }: Line, atMs: EpochMs): Quote | null {
  const px = valueAt(prices, atMs)
  return px === null ? null : { market, source, px, openedAtMs, fill: fills && valueAt(fills, atMs), supplyRaw }
}

/** The price in force on the market or its successor. Null: there was none yet, or it is forgotten. */
export function priceAt(markets: Markets, market: MarketId, atMs: EpochMs): number | null {
  const line = standingAt(markets, market, atMs)
  return line && valueAt(line.prices, atMs)
}

/** The first instant in `(afterMs, untilMs]` at which a market that fits has a new price. Null: there is none. */
export function firstPriceAfter(
  { lines }: Markets,
  { afterMs, untilMs, fits }: Readonly<{ afterMs: EpochMs; untilMs: EpochMs; fits: (line: Line) => boolean }>,
): number | null {
  const firsts = lines.filter(fits).flatMap((line) => {
    // An emptied pool has a price again when it is refilled.
    const instants = [...line.prices.atMs, ...(line.lefts?.atMs ?? []).map(secondOf)]
    return instants.filter((atMs) => atMs > afterMs && atMs <= untilMs && isPriced(line, atMs))
  })
  return firsts.length === 0 ? null : Math.min(...firsts)
}

/**
 * The time in which one line of a chain of successors is in force: (fromMs, toMs]. `changedFromMs`: changes of its liquidity count
 * from here on. Those of the block in which it replaced another line count, though its prices begin with the next second.
 */
type Stretch = Readonly<{ line: Line; fromMs: EpochMs; toMs: EpochMs; changedFromMs: EpochMs }>
export type Window = Readonly<{ fromMs: EpochMs; toMs: EpochMs }>

/** The market and its successors, in order. */
function stretchesOf(markets: Markets, market: MarketId, { fromMs, toMs }: Window): readonly Stretch[] {
  const found: Stretch[] = []
  let line = standingAt(markets, market, fromMs)
  let [sinceMs, changedFromMs] = [fromMs, fromMs]
  while (line !== null) {
    const { closedAtMs, endedAtMs, next } = line
    const untilMs: EpochMs = closedAtMs === null || next === null ? toMs : Math.min(toMs, closedAtMs - 1)
    found.push({ line, fromMs: sinceMs, toMs: untilMs, changedFromMs })
    if (closedAtMs === null || next === null || closedAtMs > toMs) break
    line = standingAt(markets, next, closedAtMs)
    sinceMs = closedAtMs - 1
    changedFromMs = Math.max(fromMs, (endedAtMs ?? closedAtMs) - 1)
  }
  return found
}

/** Whether the index exists and its instant is at most `toMs`, which may be infinite. */
const isUntil = ({ atMs }: Points, index: number, toMs: EpochMs): boolean =>
  index < atMs.length && (atMs[index] as number) <= toMs

/** The prices by second in (fromMs, toMs] on the market and its successors, oldest first. */
export function pricesIn(
  markets: Markets,
  market: MarketId,
  window: Window,
): readonly Readonly<{ atMs: EpochMs; px: number }>[] {
  const found: Readonly<{ atMs: EpochMs; px: number }>[] = []
  for (const [number, { line, fromMs, toMs }] of stretchesOf(markets, market, window).entries()) {
    const { prices } = line
    // A successor begins with the price that it has at that moment.
    const taken = number === 0 ? null : valueAt(prices, fromMs + 1)
    if (taken !== null) found.push({ atMs: fromMs + 1, px: taken })
    const first = indexAt(prices, taken === null ? fromMs : fromMs + 1) + 1
    for (let index = first; isUntil(prices, index, toMs); index++)
      found.push({ atMs: prices.atMs[index] as number, px: prices.value[index] as number })
  }
  return found
}

/**
 * When the market or its successor was pulled, relative to `fromMs`: the first instant in (fromMs, toMs] at which at most `leftMax`
 * of the liquidity is left. Null: never.
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

/** The line in force at the instant: the market or its successor. Null: unknown at that instant. */
export function standingAt(markets: Markets, market: MarketId, atMs: EpochMs): Line | null {
  let line = lineOf(markets, market) ?? null
  while (line !== null && line.closedAtMs !== null && atMs >= line.closedAtMs)
    line = line.next === null ? null : (lineOf(markets, line.next) ?? null)
  return line
}
