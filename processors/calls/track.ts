/** Keeps the path of a token from the facts that set its prices. */
import type { Hex } from '../../schemas/units.ts'
import type { CallsTypes } from './parts.ts'
import {
  closeLine,
  deepestAt,
  holds,
  type Line,
  lineOf,
  noPath,
  openLine,
  openLines,
  type Path,
  standingAt,
} from './path.ts'
import { addPoint, noPoints, secondOf, valueAt } from './points.ts'
import type { Prices, Quote } from './prices.ts'
import { bandOf } from './stage.ts'

export type Track<PriceState> = { readonly prices: PriceState; readonly path: Path }

export type Tracker<PriceState, Types extends CallsTypes> = Readonly<{
  initialState(): Track<PriceState>
  /** The market whose price the fact set, or null. */
  onFact(track: Track<PriceState>, fact: Types['fact']): Hex | null
  /** When the record closed a market, or null: it closed none. */
  onDerived(track: Track<PriceState>, record: Types['derived']): number | null
  /** The price in force at the instant: of the market that is named, while it or what went on from it is there, else of the deepest. */
  quoteAt(track: Track<PriceState>, atMs: number, market: Hex | null): Quote | null
  isEmpty(track: Track<PriceState>): boolean
}>

export const createTracker = <PriceState, Types extends CallsTypes>(
  prices: Prices<PriceState, Types>,
): Tracker<PriceState, Types> => {
  function enter(track: Track<PriceState>, market: Hex, atMs: number): Line | null {
    const found = prices.marketOf(track.prices, market)
    if (found === null) return null
    // A market that has no price any more is the one that goes on in the new one.
    for (const line of openLines(track.path))
      if (line.market !== market && prices.pxOf(track.prices, line.market) === null) closeLine(line, atMs, market)
    return openLine(track.path, found)
  }

  /** All of them where the fact set no price: it may have changed a depth. */
  function measureDepths({ prices: state, path }: Track<PriceState>, market: Hex | null, atMs: number): void {
    const open = openLines(path)
    if (open.length < 2) return
    for (const line of open) {
      if (market !== null && market !== line.market && line.depths !== null) continue
      const depth = prices.marketOf(state, line.market)?.depth
      if (depth === undefined) continue
      line.depths ??= noPoints()
      addPoint(line.depths, atMs, depth)
    }
  }

  function takePrice(
    track: Track<PriceState>,
    market: Hex,
    { atMs, px }: Readonly<{ atMs: number; px: number }>,
  ): void {
    const known = lineOf(track.path, market)
    const line = known?.closedAtMs === null ? known : enter(track, market, atMs)
    track.path.newestAtMs = secondOf(atMs)
    if (line === null) return
    addPoint(line.prices, atMs, px)
    if (line.source === 'curve') noteFill(line, atMs, prices.fillOf(track.prices, market))
  }

  return {
    initialState: () => ({ prices: prices.initialState(), path: noPath() }),
    onFact(track, fact) {
      const { path } = track
      const { blockAtMs: atMs } = fact.data
      const market = prices.onFact(track.prices, fact)
      const px = market && prices.pxOf(track.prices, market)
      if (market !== null && px !== null) takePrice(track, market, { atMs, px })
      if (path.lines.length > 1) measureDepths(track, market, atMs)
      return px === null ? null : market
    },
    onDerived({ prices: state, path }, record) {
      const closing = prices.onDerived(state, record)
      if (closing === null) return null
      const next = prices.deepest(state)?.market ?? null
      for (const market of closing.markets) {
        const line = lineOf(path, market)
        if (line !== undefined) closeLine(line, closing.closedAtMs, next)
      }
      return closing.closedAtMs
    },
    quoteAt({ path }, atMs, market) {
      if (!holds(path, atMs)) return null
      const named = market && standingAt(path, market, atMs)
      const line = named ?? deepestAt(path, atMs)
      const px = line && valueAt(line.prices, atMs)
      if (line === null || px === null) return null
      const { source, openedAtMs, supplyRaw } = line
      const fill = line.fills && valueAt(line.fills, atMs)
      return { market: line.market, source, px, openedAtMs, fill, supplyRaw }
    },
    isEmpty: ({ prices: state, path }) => prices.isEmpty(state) && path.lines.length === 0,
  }
}

function noteFill(line: Line, atMs: number, fill: number | null): void {
  if (fill === null) return
  const last = line.fills?.value.at(-1)
  if (last !== undefined && bandOf(last) === bandOf(fill)) return
  line.fills ??= noPoints()
  addPoint(line.fills, atMs, fill)
}
