/**
 * The prices of a token in the last 75 minutes, market by market. Everything that is measured of a call is read from here
 * when it is due, so it does not matter when the post became known.
 */
import { callRules } from '../../schemas/calls/rules.ts'
import type { Hex } from '../../schemas/units.ts'
import { indexAt, noPoints, type Points, prunePoints, secondOf, valueAt } from './points.ts'
import { isDeeper, type Market } from './prices.ts'

const { priceMemoryMs } = callRules

/** A market with its prices. */
export type Line = Pick<Market, 'market' | 'source' | 'openedAtMs' | 'supplyRaw'> & {
  readonly prices: Points
  /** While the token has several markets: which one is the deepest may be asked of any instant. */
  depths: Points | null
  /** Of a curve: the fill with which it came into each band (`bandOf`); nothing else is asked of it. */
  fills: Points | null
  /** The second that it was closed in. Null while it is open. */
  closedAtMs: number | null
  /** The market that goes on where this one ended, as a pool after its curve. */
  next: Hex | null
}

export type Path = {
  /** In the order of their first prices. */
  lines: Line[]
  /** When the oldest market of the token opened, as far as known. */
  bornAtMs: number | null
  /** The newest price, or the newest instant that the path was pruned at. */
  newestAtMs: number
}

export const noPath = (): Path => ({ lines: [], bornAtMs: null, newestAtMs: 0 })

/** Whether the path still holds what was at the instant. */
export const holds = ({ newestAtMs }: Path, atMs: number): boolean => atMs >= newestAtMs - priceMemoryMs

export function lineOf(path: Path, market: Hex): Line | undefined {
  for (const line of path.lines) if (line.market === market) return line
  return undefined
}

export const openLines = ({ lines }: Path): readonly Line[] => lines.filter(({ closedAtMs }) => closedAtMs === null)

/** A market that has its first price. */
export function openLine(path: Path, { market, source, openedAtMs, supplyRaw }: Market): Line {
  const fresh = { prices: noPoints(), depths: null, fills: null, closedAtMs: null, next: null }
  const line = { market, source, openedAtMs, supplyRaw, ...fresh }
  path.lines = [...path.lines.filter((known) => known.market !== market), line]
  if (openedAtMs !== null) path.bornAtMs = Math.min(openedAtMs, path.bornAtMs ?? openedAtMs)
  return line
}

/** From the end of that second on, `next` stands in its place. */
export function closeLine(line: Line, closedAtMs: number, next: Hex | null): void {
  line.closedAtMs = secondOf(closedAtMs)
  line.next = next
}

/** Forgets what no longer stood 75 minutes before the instant. Returns whether there is more to forget later. */
export function prunePath(path: Path, atMs: number): boolean {
  const fromMs = atMs - priceMemoryMs
  path.newestAtMs = Math.max(path.newestAtMs, atMs)
  path.lines = path.lines.filter(({ closedAtMs }) => closedAtMs === null || closedAtMs > fromMs)
  if (path.lines.length === 0) Object.assign(path, noPath())
  for (const { prices, depths, fills } of path.lines) {
    prunePoints(prices, fromMs)
    if (depths !== null) prunePoints(depths, fromMs)
    if (fills !== null) prunePoints(fills, fromMs)
  }
  return hasPast(path)
}

/** Whether there is anything that will be forgotten. */
export function hasPast({ lines }: Path): boolean {
  for (const { closedAtMs, prices } of lines) if (closedAtMs !== null || prices.atMs.length > 1) return true
  return false
}

/** The line that prices the token at the instant: the deepest with a price, the first by address among equals. */
export function deepestAt(path: Path, atMs: number): Line | null {
  let deepest: Line | null = null
  for (const line of path.lines) {
    if (!isPriced(line, atMs)) continue
    if (deepest === null || isDeeper(placeAt(line, atMs), placeAt(deepest, atMs))) deepest = line
  }
  return deepest
}

/** A market that other markets stood beside has its depths of that time. */
const placeAt = ({ market, depths }: Line, atMs: number) => ({
  market,
  depth: depths === null ? 0 : (valueAt(depths, atMs) ?? 0),
})

const isPriced = ({ prices, closedAtMs }: Line, atMs: number): boolean =>
  (closedAtMs === null || atMs < closedAtMs) && indexAt(prices, atMs) >= 0

/** The price in force on the market, or where it went on. Null: there was none yet, or nothing is known of it any more. */
export function priceAt(path: Path, market: Hex, atMs: number): number | null {
  const line = standingAt(path, market, atMs)
  return line && valueAt(line.prices, atMs)
}

/** The first instant with a new price after the one, on any market. Null: none up to the limit. */
export function firstPriceAfter(path: Path, afterMs: number, untilMs: number): number | null {
  let firstMs: number | null = null
  for (const { prices } of path.lines) {
    const atMs = prices.atMs[indexAt(prices, afterMs) + 1]
    if (atMs !== undefined && atMs <= untilMs && (firstMs === null || atMs < firstMs)) firstMs = atMs
  }
  return firstMs
}

/** The prices of the seconds in (from, to] on the market, or where it went on, oldest first. */
export function pricesIn(path: Path, market: Hex, { fromMs, toMs }: Readonly<{ fromMs: number; toMs: number }>) {
  const found: number[] = []
  let line = standingAt(path, market, fromMs)
  let sinceMs = fromMs
  while (line !== null) {
    const { prices, closedAtMs, next } = line
    const untilMs = closedAtMs === null || next === null ? toMs : Math.min(toMs, closedAtMs - 1)
    for (let index = indexAt(prices, sinceMs) + 1; (prices.atMs[index] ?? Number.POSITIVE_INFINITY) <= untilMs; index++)
      found.push(prices.value[index] as number)
    if (closedAtMs === null || next === null || closedAtMs > toMs) break
    sinceMs = closedAtMs
    line = standingAt(path, next, closedAtMs)
    const taken = line && valueAt(line.prices, closedAtMs)
    if (taken !== null && closedAtMs > fromMs) found.push(taken)
  }
  return found
}

/** Where the market stands at the instant: itself, or what went on from it. Null: nothing is known of it then. */
export function standingAt(path: Path, market: Hex, atMs: number): Line | null {
  let line = lineOf(path, market) ?? null
  while (line !== null && line.closedAtMs !== null && atMs >= line.closedAtMs)
    line = line.next === null ? null : (lineOf(path, line.next) ?? null)
  return line
}
