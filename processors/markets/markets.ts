/**
 * The markets of a token: where it trades, at what price now and by second for the last 75 minutes, and how much of the
 * liquidity is left. Rules behind the fold read them, and never change them. What is measured of a call is read from here when
 * it is due, so it does not matter when the post became known.
 */
import type { Mentioned } from '../../schemas/calls/facts.ts'
import { type Followings, followedUntilMs, forgottenAtMs } from '../../schemas/calls/following.ts'
import { priceMemoryMs } from '../../schemas/calls/retention.ts'
import type { Hex } from '../../schemas/units.ts'
import { isPulled } from './move.ts'
import { indexAt, noPoints, type Points, prunePoints, secondOf, valueAt } from './points.ts'
import { isDeeper, type Market, type Quote } from './prices.ts'

/** A market with its prices. */
export type Line = Pick<Market, 'market' | 'source' | 'openedAtMs' | 'supplyRaw' | 'forgottenAtMs' | 'idleLifeMs'> & {
  readonly prices: Points
  /** While the token has several markets: which one is the deepest may be asked of any instant. */
  depths: Points | null
  /** For a curve, the fill with which it came into each band (`bandOf`): nothing else is asked of its fill. */
  fills: Points | null
  /** The fill of a curve now, 0-1; null for a pool. */
  fill: number | null
  /**
   * What is left of the liquidity, since the market is known: the product of the ratios of all transactions that changed it. 0
   * while nobody has a position; a pool that is refilled begins at 1 again. At its own instants, because two changes of one
   * second may be a pull. Null: it was 1 all the time.
   */
  lefts: Points | null
  /** When a trade, an opening price or a change of its liquidity last moved it. */
  movedAtMs: number
  /** When the curve was complete: from then on nobody trades there. */
  endedAtMs: number | null
  /** When the stage would have closed it: a call keeps it. Null: it would not yet. */
  releasedAtMs: number | null
  /** The second that it was closed in. Null while it is open. */
  closedAtMs: number | null
  /** The market that goes on where this one ended, as a pool after its curve. */
  next: Hex | null
}

export type Markets = {
  /** In the order of their first prices. */
  lines: Line[]
  /** When the oldest market of the token opened, as far as known. */
  bornAtMs: number | null
  /** The newest price, or the newest instant that the prices were pruned at. */
  newestAtMs: number
  /** By the calls of the token: how long its markets are kept. */
  followings: Followings
}

export const noMarkets = (): Markets => ({ lines: [], bornAtMs: null, newestAtMs: 0, followings: [] })

/** Whether it is still known what was at the instant. */
export const holds = ({ newestAtMs }: Markets, atMs: number): boolean => atMs >= newestAtMs - priceMemoryMs

export function lineOf({ lines }: Markets, market: Hex): Line | undefined {
  for (const line of lines) if (line.market === market) return line
  return undefined
}

const isOpen = ({ closedAtMs }: Line): boolean => closedAtMs === null

export const openLines = ({ lines }: Markets): readonly Line[] => lines.filter(isOpen)

/** A market that has its first price. A list of its exact length, because most tokens stay with one market. */
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

/** What a call says of how long the markets of its token are followed. */
export type Called = Pick<Mentioned, 'postedAtMs' | 'isFollowed'>

/** Whether the market is followed to the end of the watch of the call. */
export function isFollowed(
  { followings }: Markets,
  { releasedAtMs, forgottenAtMs: byItself, movedAtMs, idleLifeMs }: Line,
  { postedAtMs, isFollowed: keepsMarkets }: Called,
): boolean {
  const ownMs = releasedAtMs ?? byItself ?? movedAtMs + idleLifeMs
  // A later call of the token may keep its markets. One that keeps none was not promised that.
  const keptMs = keepsMarkets ? forgottenAtMs(ownMs, followings) : ownMs
  return keptMs >= followedUntilMs(postedAtMs)
}

/** From the end of that second on, `next` stands in its place. */
export function closeLine(line: Line, closedAtMs: number, next: Hex | null): void {
  line.closedAtMs = secondOf(closedAtMs)
  line.next = next
}

/** Forgets what no longer stood 75 minutes before the instant. Returns whether there is more to forget later. */
export function pruneMarkets(markets: Markets, atMs: number): boolean {
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

/** Whether there is anything that will be forgotten. */
export function hasPast({ lines }: Markets): boolean {
  for (const { closedAtMs, prices } of lines) if (closedAtMs !== null || prices.atMs.length > 1) return true
  return false
}

/** What is left of the liquidity now. */
export const leftNow = ({ lefts }: Line): number => lefts?.value.at(-1) ?? 1

export const leftAt = ({ lefts }: Line, atMs: number): number => (lefts === null ? 1 : (valueAt(lefts, atMs) ?? 1))

export const pxNow = ({ prices }: Line): number => prices.value.at(-1) as number

/** What was anchored on a market, as it stands now: where the market went on, and what was left of that liquidity at the anchor. */
export type Holding = Readonly<{ market: Hex; left: number }>

export function holdingOf(markets: Markets, market: Hex, anchorAtMs: number): Holding {
  const last = stretchesOf(markets, market, { fromMs: anchorAtMs, toMs: Number.POSITIVE_INFINITY }).at(-1)
  return last === undefined
    ? { market, left: 1 }
    : { market: last.line.market, left: leftAt(last.line, last.changedFromMs) }
}

/** The market that prices the token now: the deepest one that is not emptied, the first by address among equals. */
export function deepestNow({ lines }: Markets): Line | null {
  let deepest: Line | null = null
  for (const line of lines) {
    if (!isOpen(line) || leftNow(line) === 0) continue
    if (deepest === null || isDeeper(depthNow(line), depthNow(deepest))) deepest = line
  }
  return deepest
}

const depthNow = ({ market, depths }: Line) => ({ market, depth: depths?.value.at(-1) ?? 0 })

/** The market that prices the token at the instant, in the same way. `fits`: which markets are asked. */
export function deepestAt(markets: Markets, atMs: number, fits: (line: Line) => boolean = () => true): Line | null {
  let deepest: Line | null = null
  for (const line of markets.lines) {
    if (!isPriced(line, atMs) || !fits(line)) continue
    if (deepest === null || isDeeper(depthAt(line, atMs), depthAt(deepest, atMs))) deepest = line
  }
  return deepest
}

/** A market that other markets stood beside has its depths of that time. */
const depthAt = ({ market, depths }: Line, atMs: number) => ({
  market,
  depth: depths === null ? 0 : (valueAt(depths, atMs) ?? 0),
})

const isPriced = (line: Line, atMs: number): boolean =>
  (line.closedAtMs === null || atMs < line.closedAtMs) && indexAt(line.prices, atMs) >= 0 && leftAt(line, atMs) > 0

/** The line as it stood at the instant, at which it had a price. */
export function quoteOf({ market, source, openedAtMs, supplyRaw, prices, fills }: Line, atMs: number): Quote | null {
  const px = valueAt(prices, atMs)
  return px === null ? null : { market, source, px, openedAtMs, fill: fills && valueAt(fills, atMs), supplyRaw }
}

/** The price in force on the market, or where it went on. Null: there was none yet, or nothing is known of it any more. */
export function priceAt(markets: Markets, market: Hex, atMs: number): number | null {
  const line = standingAt(markets, market, atMs)
  return line && valueAt(line.prices, atMs)
}

/** The first instant after the one at which a market that fits has a new price. Null: none up to the limit. */
export function firstPriceAfter(
  { lines }: Markets,
  { afterMs, untilMs, fits }: Readonly<{ afterMs: number; untilMs: number; fits: (line: Line) => boolean }>,
): number | null {
  const firsts = lines.filter(fits).flatMap((line) => {
    // A pool that was emptied has a price again when it is refilled.
    const instants = [...line.prices.atMs, ...(line.lefts?.atMs ?? []).map(secondOf)]
    return instants.filter((atMs) => atMs > afterMs && atMs <= untilMs && isPriced(line, atMs))
  })
  return firsts.length === 0 ? null : Math.min(...firsts)
}

/**
 * A stretch of the time in which a market stands for itself: (fromMs, toMs]. `changedFromMs`: from when on changes of its liquidity
 * count. Those of the block in which it took the place of another do, though its prices begin with the next second.
 */
type Stretch = Readonly<{ line: Line; fromMs: number; toMs: number; changedFromMs: number }>
export type Window = Readonly<{ fromMs: number; toMs: number }>

/** The market and what it went on in, one after the other. */
function stretchesOf(markets: Markets, market: Hex, { fromMs, toMs }: Window): readonly Stretch[] {
  const found: Stretch[] = []
  let line = standingAt(markets, market, fromMs)
  let [sinceMs, changedFromMs] = [fromMs, fromMs]
  while (line !== null) {
    const { closedAtMs, endedAtMs, next } = line
    const untilMs: number = closedAtMs === null || next === null ? toMs : Math.min(toMs, closedAtMs - 1)
    found.push({ line, fromMs: sinceMs, toMs: untilMs, changedFromMs })
    if (closedAtMs === null || next === null || closedAtMs > toMs) break
    line = standingAt(markets, next, closedAtMs)
    sinceMs = closedAtMs - 1
    changedFromMs = Math.max(fromMs, (endedAtMs ?? closedAtMs) - 1)
  }
  return found
}

/** Whether there is a point with this index, and it is not later. `toMs` may be infinite. */
const isUntil = ({ atMs }: Points, index: number, toMs: number): boolean =>
  index < atMs.length && (atMs[index] as number) <= toMs

/** The prices of the seconds in (from, to] on the market, or where it went on, oldest first. */
export function pricesIn(
  markets: Markets,
  market: Hex,
  window: Window,
): readonly Readonly<{ atMs: number; px: number }>[] {
  const found: Readonly<{ atMs: number; px: number }>[] = []
  for (const [number, { line, fromMs, toMs }] of stretchesOf(markets, market, window).entries()) {
    const { prices } = line
    // A market that takes the place of another begins with the price that it has then.
    const taken = number === 0 ? null : valueAt(prices, fromMs + 1)
    if (taken !== null) found.push({ atMs: fromMs + 1, px: taken })
    const first = indexAt(prices, taken === null ? fromMs : fromMs + 1) + 1
    for (let index = first; isUntil(prices, index, toMs); index++)
      found.push({ atMs: prices.atMs[index] as number, px: prices.value[index] as number })
  }
  return found
}

/**
 * When the market, or where it went on, was pulled for whoever anchored on it at `fromMs`: the first instant in (from, to] that
 * at most that share is left. Null: it was not.
 */
export function pulledIn(
  markets: Markets,
  market: Hex,
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

/** Where the market stands at the instant: itself, or what went on from it. Null: nothing is known of it then. */
export function standingAt(markets: Markets, market: Hex, atMs: number): Line | null {
  let line = lineOf(markets, market) ?? null
  while (line !== null && line.closedAtMs !== null && atMs >= line.closedAtMs)
    line = line.next === null ? null : (lineOf(markets, line.next) ?? null)
  return line
}
