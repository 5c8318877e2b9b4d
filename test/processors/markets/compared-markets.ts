/**
 * Compares what the processor knows about a token's markets with an independent recount. Both are asked about
 * the same times.
 */
import type { Line } from '../../../processors/markets/line.ts'
import {
  deepestAt,
  deepestNow,
  firstPriceAfter,
  holdingOf,
  holds,
  isFollowed,
  leftAt,
  leftNow,
  lineAt,
  lineOf,
  type Markets,
  openLines,
  priceAt,
  pricesIn,
  pulledIn,
  pxNow,
  quoteOf,
} from '../../../processors/markets/markets.ts'
import { withCall } from '../../../schemas/calls/following.ts'
import type { MarketId } from '../../../schemas/units.ts'
import * as recount from '../../support/oracle/calls/lines.ts'
import { callRules } from '../../support/oracle/calls/rules.ts'

/**
 * The times and markets about which the processor and the recount are asked.
 * - `instants`: whole seconds of the last 75 minutes. The last one is now, and no fact comes later.
 * - `oldInstants`: earlier times, for which only the market itself is compared.
 * - `calledAtMs`: the times of posts about the token that become known now.
 * - `names`: the markets that the processor still remembers.
 */
export type Asked = Readonly<{
  nowMs: number
  instants: readonly number[]
  oldInstants: readonly number[]
  calledAtMs: readonly number[]
  names: readonly MarketId[]
}>

const { rugLeftMax: leftMax, keptMs } = callRules

/** Returns the band (0, 1 or 2) of a curve's fill. The rules only use this band, and not the exact fill. */
const bandOf = (fill: number | null): number | null =>
  fill === null ? null : [0.25, 0.55].filter((from) => fill >= from).length

export function saidOf(markets: Markets, { nowMs, instants, oldInstants, calledAtMs, names }: Asked) {
  const saidOn = (market: MarketId, fromMs: number) => {
    const quote = saidQuote(markets, fromMs, (line) => line.market === market)
    if (quote === null) return null
    const pulledAtMs = pulledIn(markets, market, { fromMs, toMs: nowMs, leftMax })
    const toMs = pulledAtMs === null ? nowMs : recount.secondOf(pulledAtMs) - 1
    const prices = pricesIn(markets, market, { fromMs, toMs }).map(({ px }) => px)
    if (pulledAtMs !== null) return { quote, pulledAtMs, prices: [...prices, 0] }
    const px = priceAt(markets, market, nowMs)
    // A market without a price is not asked about further values.
    if (px === null) return { quote, px }
    const { market: heldOn, left } = holdingOf(markets, market, fromMs)
    const held = lineOf(markets, heldOn)
    return { quote, px, prices, left: held && leftNow(held) / left }
  }
  return {
    instants: instants.map((atMs) => {
      const quote = saidQuote(markets, atMs)
      const first = { afterMs: atMs, untilMs: nowMs, fits: () => true }
      const next = quote === null ? firstPriceAfter(markets, first) : null
      const on = names.map((name) => ({ from: saidOn(name, atMs), standing: saidStanding(markets, name, atMs) }))
      return { atMs, quote, next, on }
    }),
    old: oldInstants.map((atMs) => deepestAt(markets, atMs)?.market ?? null),
    now: saidNow(deepestNow(markets)),
    bornAtMs: saidQuote(markets, nowMs) && markets.bornAtMs,
    open: openLines(markets)
      .map((line) => ({
        ...{ market: line.market, fill: line.fill },
        isKept: calledAtMs.flatMap((postedAtMs) =>
          [true, false].map((keeps) => isKept(markets, line, { postedAtMs, answeredAtMs: nowMs, isFollowed: keeps })),
        ),
      }))
      .sort(byMarket),
  }
}

const saidNow = (line: Line | null) => line && { market: line.market, px: pxNow(line) }

/**
 * Returns the price that a call (a post about the token) gets at the time, from the named market or its
 * successor. Returns null if that market is empty.
 */
function saidStanding(markets: Markets, market: MarketId, atMs: number) {
  const line = lineAt(markets, market, atMs)
  const quote = line && leftAt(line, atMs) > 0 ? quoteOf(line, atMs) : null
  return quote && { ...quote, fill: bandOf(quote.fill) }
}

const isKept = (markets: Markets, line: Line, call: Parameters<typeof withCall>[1]): boolean =>
  isFollowed({ ...markets, followings: withCall(markets.followings, call) }, line, call)

function saidQuote(markets: Markets, atMs: number, fits?: (line: Line) => boolean) {
  const line = holds(markets, atMs) ? deepestAt(markets, atMs, fits) : null
  const quote = line && quoteOf(line, atMs)
  return quote && { ...quote, fill: bandOf(quote.fill) }
}

const byMarket = (one: Readonly<{ market: string }>, other: Readonly<{ market: string }>): number =>
  one.market < other.market ? -1 : 1

export function countedOf(markets: recount.Markets, { nowMs, instants, oldInstants, calledAtMs, names }: Asked) {
  const countedOn = (market: string, atMs: number) => {
    const quote = countedQuote(only(markets, market), atMs)
    if (quote === null) return null
    const pulledMs = recount.pulledAtMs(markets, { market, atMs }, leftMax)
    const seen = { market, ruggedAtMs: pulledMs }
    const prices = recount.pricesOf(markets, seen, { fromMs: atMs, toMs: nowMs })
    if (pulledMs !== null) return { quote, pulledAtMs: pulledMs, prices }
    const px = recount.pxFor(markets, seen, nowMs)
    return px === null ? { quote, px } : { quote, px, prices, left: leftSince(markets, market, atMs) }
  }
  return {
    instants: instants.map((atMs) => {
      const quote = countedQuote(markets, atMs)
      const next = quote === null ? recount.firstPriceIn(markets, atMs, nowMs) : null
      const on = names.map((name) => ({ from: countedOn(name, atMs), standing: countedStanding(markets, name, atMs) }))
      return { atMs, quote, next, on }
    }),
    old: oldInstants.map((atMs) => recount.deepestAt(markets, atMs)?.line.market ?? null),
    now: countedNow(countedQuote(markets, nowMs)),
    bornAtMs: countedQuote(markets, nowMs) && recount.bornAtMs(markets, nowMs),
    open: markets.lines
      .filter((line) => recount.isOpen(markets, line, nowMs))
      .map((line) => ({
        ...{ market: line.market, fill: line.prices.at(-1)?.fill ?? null },
        isKept: calledAtMs.flatMap((postedAtMs) =>
          [null, postedAtMs + keptMs].map((aloneUntilMs) =>
            recount.followedBy(markets, nowMs, aloneUntilMs).lines.includes(line),
          ),
        ),
      }))
      .sort(byMarket),
  }
}

const countedNow = (quote: ReturnType<typeof countedQuote>) => quote && { market: quote.market, px: quote.px }

function countedStanding(markets: recount.Markets, market: string, atMs: number) {
  const line = recount.standingOf(markets, market, atMs)
  return line && countedQuote(only(markets, line.market), atMs)
}

const only = (markets: recount.Markets, market: string): recount.Markets => ({
  ...markets,
  lines: markets.lines.filter((line) => line.market === market),
})

function countedQuote(markets: recount.Markets, atMs: number) {
  const quote = recount.deepestAt(markets, atMs)
  if (quote === null) return null
  const { market, source, openedAtMs, supplyRaw } = quote.line
  return { market, source, px: quote.px, openedAtMs, fill: bandOf(quote.fill), supplyRaw }
}

/**
 * Returns the share of the liquidity that remains since `atMs`. If the market has a successor, the successor
 * counts.
 */
function leftSince(markets: recount.Markets, market: string, atMs: number): number {
  const line = markets.lines.find((each) => each.market === market)
  if (line === undefined) return 1
  if (line.ends !== null && line.ends.next !== null)
    return leftSince(markets, line.ends.next, Math.max(atMs, line.ends.atMs - 1))
  return line.changes.filter((change) => change.atMs > atMs).reduce((left, { ratio }) => left * ratio, 1)
}
