/**
 * Models the markets (pools and curves) of a token as price histories, to recompute the results of calls
 * (posts that name a token). The lists contain all prices. A function about a point in time uses only earlier
 * prices.
 */
export const secondMs = 1_000
export const minuteMs = 60_000
export const hourMs = 60 * minuteMs

export const secondOf = (atMs: number): number => Math.ceil(atMs / secondMs) * secondMs

export type Price = Readonly<{ atMs: number; px: number; fill: number | null }>
export type Coined = Price & Readonly<{ coin: number }>
/** A change of liquidity. `ratio` is the coin amount after the transaction divided by the amount before it. */
export type Change = Readonly<{ atMs: number; ratio: number; isEmptied: boolean }>

export type Line = Readonly<{
  market: string
  source: 'curve' | 'pool'
  openedAtMs: number | null
  supplyRaw: number | null
  prices: readonly Price[]
  changes: readonly Change[]
  /** Returns the amount of the coin in the market. Null: there is no liquidity. */
  depthAt(atMs: number): number | null
  /** The time at which the market ends. The token's price continues in the market `next`. */
  ends: Readonly<{ atMs: number; next: string | null }> | null
  /**
   * Returns the time at which the service stops following the market, unless a call keeps it. Only facts up
   * to `atMs` count.
   */
  forgottenAtMs(atMs: number): number
  /** The times at which the result of `forgottenAtMs` changes. */
  livens: readonly number[]
  /** The subset of `livens` at which a forgotten market is found again. */
  finds: readonly number[]
}>

/**
 * A call because of which the service follows the token's markets until `untilMs`. The call became known at
 * `knownAtMs`.
 */
export type Keep = Readonly<{ knownAtMs: number; untilMs: number }>
type Open = Readonly<{ fromMs: number; toMs: number }>
export type Markets = Readonly<{
  lines: readonly Line[]
  keeps: readonly Keep[]
  leadMs: number
  /** The time ranges in which each market is followed. */
  openIn: ReadonlyMap<Line, readonly Open[]>
}>

export function marketsOf(lines: readonly Line[], keeps: readonly Keep[], leadMs: number): Markets {
  const openIn = new Map(lines.map((line) => [line, openOf(line, keeps, leadMs)]))
  return { lines, keeps, leadMs, openIn }
}

/**
 * Returns the time ranges in which a market is followed. A trade or a call extends a range if it comes before
 * the market is forgotten.
 */
function openOf(line: Line, keeps: readonly Keep[], leadMs: number): readonly Open[] {
  const [first] = line.prices
  if (first === undefined) return []
  const open: { fromMs: number; toMs: number }[] = [{ fromMs: first.atMs, toMs: line.forgottenAtMs(first.atMs) }]
  let [now, keptMs] = [open[0] as { fromMs: number; toMs: number }, 0]
  const events = [...line.livens.map((atMs) => ({ atMs, untilMs: 0 })), ...keepsOf(keeps)].sort(
    (one, other) => one.atMs - other.atMs,
  )
  for (const { atMs, untilMs } of events) {
    const endMs = Math.max(now.toMs, keptMs)
    if (untilMs > 0 && atMs <= endMs - leadMs) keptMs = Math.max(keptMs, untilMs)
    if (untilMs > 0 || atMs < first.atMs) continue
    if (atMs < secondOf(endMs)) now.toMs = line.forgottenAtMs(atMs)
    else if (line.finds.includes(atMs)) {
      now.toMs = endMs
      now = { fromMs: atMs, toMs: line.forgottenAtMs(atMs) }
      open.push(now)
    }
  }
  now.toMs = Math.max(now.toMs, keptMs)
  return open
}

const keepsOf = (keeps: readonly Keep[]) => keeps.map(({ knownAtMs, untilMs }) => ({ atMs: knownAtMs, untilMs }))

/**
 * Returns the markets on which a call is measured. The call became known at `knownAtMs`. Markets that are
 * soon forgotten are left out. `aloneUntilMs` is given if the call itself keeps no market. Then a market
 * counts only if it is followed until that time without any call.
 */
export function followedBy(markets: Markets, knownAtMs: number, aloneUntilMs: number | null = null): Markets {
  const { leadMs } = markets
  const before = markets.keeps.filter((keep) => keep.knownAtMs < knownAtMs)
  const lines = markets.lines.filter((line) => {
    const [first] = line.prices
    if (first === undefined) return true
    const toldUntilMs = Math.max(knownAtMs, first.atMs)
    const told = { ...line, livens: line.livens.filter((atMs) => atMs <= toldUntilMs) }
    if (aloneUntilMs !== null) return (openOf(told, [], leadMs).at(-1)?.toMs ?? 0) >= aloneUntilMs
    if (first.atMs > knownAtMs) return true
    return knownAtMs <= (openOf(told, before, leadMs).at(-1)?.toMs ?? 0) - leadMs
  })
  return { ...markets, lines: withLater(markets, lines, knownAtMs) }
}

/**
 * Adds the pools of called curves. The price of a call on a curve continues in the pool of that curve, as
 * long as the pool is followed.
 */
function withLater(all: Markets, lines: readonly Line[], knownAtMs: number): readonly Line[] {
  const later = all.lines.filter(
    (line) => (line.prices[0]?.atMs ?? 0) > knownAtMs && lines.some(({ ends }) => ends?.next === line.market),
  )
  return [...new Set([...lines, ...later])]
}

/** Returns the index of the last time that is not after `atMs`, or -1. The times must be in ascending order. */
export const lastOf = (instants: readonly number[], atMs: number): number =>
  before(instants.length, (index) => (instants[index] ?? 0) <= atMs)

function before(count: number, isPast: (index: number) => boolean): number {
  let low = 0
  for (let high = count; low < high; ) {
    const middle = (low + high) >>> 1
    if (isPast(middle)) low = middle + 1
    else high = middle
  }
  return low - 1
}

/** Returns the time at which the market is forgotten if there is no call. Only facts up to `atMs` count. */
export const closedLater = (line: Line, atMs: number): number => line.forgottenAtMs(atMs)

type Timed = Readonly<{ atMs: number }>
const lastIndex = (items: readonly Timed[], atMs: number): number =>
  before(items.length, (index) => (items[index]?.atMs ?? 0) <= atMs)

/** Returns the last item that is not after the newest whole second up to `atMs`. */
export const standing = <Item extends Readonly<{ atMs: number }>>(items: readonly Item[], atMs: number): Item | null =>
  items[lastIndex(items, Math.floor(atMs / secondMs) * secondMs)] ?? null

export const coinAt =
  (prices: readonly Coined[]) =>
  (atMs: number): number =>
    standing(prices, atMs)?.coin ?? 0

/** Adds a price. A later price in the same second replaces the earlier price. */
export function addPrice<Its extends Price>(prices: Its[], price: Its): void {
  const last = prices.at(-1)
  if (last !== undefined && secondOf(last.atMs) === secondOf(price.atMs)) prices[prices.length - 1] = price
  else prices.push(price)
}

export const isOpen = (markets: Markets, line: Line, atMs: number): boolean =>
  (line.ends === null || atMs < secondOf(line.ends.atMs)) &&
  (markets.openIn.get(line) ?? []).some(({ fromMs, toMs }) => atMs >= fromMs && atMs < secondOf(toMs))

/** Returns the time at which the market is forgotten for good. Null: there is no such market. */
export function closedAtMs(markets: Markets, market: string): number | null {
  const line = markets.lines.find((each) => each.market === market)
  return (line && markets.openIn.get(line)?.at(-1)?.toMs) ?? null
}

/** Returns true if the market was followed at `atMs`. */
export const isFollowedAt = (markets: Markets, market: string, atMs: number): boolean =>
  markets.lines.some(
    (line) =>
      line.market === market &&
      // The followed time begins with the first second of the market, because the last price of that second
      // is kept.
      (markets.openIn.get(line) ?? []).some(({ fromMs, toMs }) => secondOf(atMs) >= secondOf(fromMs) && atMs <= toMs),
  )

export type Quote = Readonly<{ line: Line; px: number; fill: number | null }>

function quoteOf(markets: Markets, line: Line, atMs: number): Quote | null {
  const price = standing(line.prices, atMs)
  if (price === null || !isOpen(markets, line, atMs) || line.depthAt(atMs) === null) return null
  return { line, px: price.px, fill: price.fill }
}

/**
 * Returns the deepest market that has a price at `atMs`. If markets are equally deep, the first address
 * counts.
 */
export function deepestAt(markets: Markets, atMs: number): Quote | null {
  const quotes = markets.lines.flatMap((line) => quoteOf(markets, line, atMs) ?? [])
  const depths = new Map(quotes.map(({ line }) => [line, quotes.length === 1 ? 0 : (line.depthAt(atMs) ?? 0)]))
  const depthOf = ({ line }: Quote) => depths.get(line) ?? 0
  return quotes.sort((one, other) => depthOf(other) - depthOf(one) || byMarket(one, other))[0] ?? null
}

const byMarket = (one: Quote, other: Quote): number => (one.line.market < other.line.market ? -1 : 1)

/** Returns the first second in (after, until] at which at least one market has a price. */
export function firstPriceIn(markets: Markets, afterMs: number, untilMs: number): number | null {
  for (let atMs = afterMs + secondMs; atMs <= untilMs; atMs += secondMs) if (deepestAt(markets, atMs)) return atMs
  return null
}

/**
 * Returns the line that gives the price at `atMs` for a call that is measured on `market`. It is the line of
 * this market, or of the market in which this market continues.
 */
export function standingOf(markets: Markets, market: string, atMs: number): Line | null {
  const line = markets.lines.find((each) => each.market === market)
  if (line === undefined) return null
  if (line.ends === null || atMs < secondOf(line.ends.atMs)) return line
  return line.ends.next === null ? null : standingOf(markets, line.ends.next, atMs)
}

/** Returns the time of the first transaction that leaves at most `leftMax` of the liquidity at the anchor. */
export function pulledAtMs(markets: Markets, anchor: Anchored, leftMax: number): number | null {
  let line = markets.lines.find(({ market }) => market === anchor.market)
  let left = 1
  for (let fromMs = anchor.atMs; line !== undefined; ) {
    const { ends, changes } = line
    const { market } = line
    for (const change of changes.filter(({ atMs }) => atMs > fromMs && isFollowedAt(markets, market, atMs))) {
      left *= change.ratio
      if (change.isEmptied || left <= leftMax * (1 + 1e-9)) return change.atMs
    }
    if (ends === null) return null
    line = markets.lines.find(({ market }) => market === ends.next)
    fromMs = Math.max(anchor.atMs, ends.atMs - 1)
  }
  return null
}

export type Anchored = Readonly<{ market: string; atMs: number }>

/** Returns the price of an anchor's market. After a pull, the price is 0. Null: there is no price any more. */
export function pxFor(markets: Markets, { market, ruggedAtMs }: Seen, atMs: number): number | null {
  if (ruggedAtMs !== null && atMs >= secondOf(ruggedAtMs)) return 0
  const line = standingOf(markets, market, atMs)
  return line && (quoteOf(markets, line, atMs)?.px ?? null)
}

export type Seen = Readonly<{ market: string; ruggedAtMs: number | null }>

export type Stretch = Readonly<{ fromMs: number; toMs: number }>

/**
 * Returns the kept prices of an anchor's market in (from, to], one per second. If the market was pulled, the
 * last price is 0.
 */
export function pricesOf(markets: Markets, { market, ruggedAtMs }: Seen, { fromMs, toMs }: Stretch): readonly number[] {
  const pulledMs = ruggedAtMs === null ? Number.POSITIVE_INFINITY : secondOf(ruggedAtMs)
  const untilMs = Math.min(toMs, pulledMs - secondMs)
  const prices = pricesFrom(markets, market, { fromMs, toMs: untilMs })
  return pulledMs <= toMs ? [...prices, 0] : prices
}

/**
 * Returns the kept prices of a market and of the market in which it continues. The part of the later market
 * begins with its price at that time.
 */
function pricesFrom(markets: Markets, market: string, { fromMs, toMs }: Stretch): readonly number[] {
  const line = markets.lines.find((each) => each.market === market)
  if (line === undefined) return []
  const goesOnMs = line.ends === null ? Number.POSITIVE_INFINITY : secondOf(line.ends.atMs)
  const own = keptIn(line, { fromMs, toMs: Math.min(toMs, goesOnMs - secondMs) })
  if (line.ends === null || line.ends.next === null || goesOnMs > toMs) return own
  const px = goesOnMs > fromMs ? pxFor(markets, { market: line.ends.next, ruggedAtMs: null }, goesOnMs) : null
  const later = pricesFrom(markets, line.ends.next, { fromMs: Math.max(fromMs, goesOnMs), toMs })
  return [...own, ...(px === null ? [] : [px]), ...later]
}

function keptIn({ prices }: Line, { fromMs, toMs }: Stretch): readonly number[] {
  const [from, to] = [lastIndex(prices, fromMs) + 1, lastIndex(prices, toMs) + 1]
  return prices.slice(from, to).map(({ px }) => px)
}

/**
 * The time for which a market still counts for the token's age after the service stopped following the
 * market. The age of a token counts from its oldest such market.
 */
const rememberedMs = 75 * minuteMs

export function bornAtMs(markets: Markets, atMs: number): number | null {
  const known = markets.lines
    .flatMap((line) => (line.prices[0] && line.prices[0].atMs <= atMs ? [{ line, sinceMs: line.prices[0].atMs }] : []))
    .sort((one, other) => one.sinceMs - other.sinceMs)
  let born: number | null = null
  let untilMs = Number.NEGATIVE_INFINITY
  for (const { line, sinceMs } of known) {
    if (secondOf(sinceMs) >= untilMs) born = null
    if (line.openedAtMs !== null) born = Math.min(born ?? line.openedAtMs, line.openedAtMs)
    untilMs = Math.max(untilMs, rememberedUntilMs(markets, line))
  }
  return born
}

export function rememberedUntilMs(markets: Markets, line: Line): number {
  const endMs = Math.min(line.ends?.atMs ?? Number.POSITIVE_INFINITY, markets.openIn.get(line)?.at(-1)?.toMs ?? 0)
  return secondOf(endMs) + rememberedMs
}
