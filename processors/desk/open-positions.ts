/**
 * Opens the simulated positions of the paper desk, checks them at each change of their market, and closes
 * them.
 */
import assert from 'node:assert/strict'
import type { DeskExit } from '../../schemas/desk/derived.ts'
import type { Desk, Lane } from '../../schemas/desk/rules.ts'
import type { EpochMs, MarketId } from '../../schemas/units.ts'
import { keptOf, withItem } from '../lean-list.ts'
import type { Books, OpenPosition, RuleContext } from './books.ts'
import type { TradableMarket } from './tradable-market.ts'
import { closeTrade, judgeLeft, judgePx, openTrade, timeOutAtMs } from './trade.ts'

function laneOf({ lanes }: Desk, name: string): Lane {
  for (const lane of lanes) if (lane.name === name) return lane
  return assert.fail(`the desk has no lane ${name}`)
}

/** `signalAtMs` is null for a twin. */
type Opening = Readonly<{
  lane: string
  signalAtMs: EpochMs | null
  market: MarketId
  openedAtMs: EpochMs
  tradable: TradableMarket
}>

/**
 * Opens a position at the current price. `DeskOpened` is not published for a twin, which is a comparison
 * position without a signal.
 */
export function open(
  books: Books,
  { lane, signalAtMs, tradable, openedAtMs, market }: Opening,
  ruleContext: RuleContext,
): OpenPosition {
  const held = { lane, signalAtMs, position: openTrade({ openedAtMs, market }, tradable) }
  books.held = withItem(books.held, held)
  const { book, exit } = laneOf(ruleContext.desk, lane)
  awaitTimeOut(books, timeOutAtMs(held.position, exit), ruleContext)
  if (signalAtMs !== null)
    ruleContext.context.emit({ type: 'DeskOpened', data: { book, lane, signalAtMs, openedAtMs, market } })
  return held
}

type Moved = Readonly<{ market: MarketId; tradable: TradableMarket }>

/** Checks the positions on a market after a change of its price or liquidity. */
export function judgeOpenPositions(books: Books, { market, tradable }: Moved, ruleContext: RuleContext): void {
  const { held: known } = books
  let over: OpenPosition[] | null = null
  for (const held of known) {
    if (held.position.market !== market || isStillOpen(held, tradable, ruleContext)) continue
    over ??= []
    over.push(held)
  }
  if (over !== null) books.held = keptOf(known, (held) => !over.includes(held))
}

/**
 * Checks a position after a change of its market. Closes it if an exit condition is met. Returns whether it
 * is still open.
 */
function isStillOpen(held: OpenPosition, tradable: TradableMarket, ruleContext: RuleContext): boolean {
  const { position, lane } = held
  const { desk } = ruleContext
  const why =
    judgeLeft(position, tradable, desk.rugLeftRatioMax) ?? judgePx(position, tradable, laneOf(desk, lane).exit)
  if (why !== null) leave(held, { why, atMs: tradable.atMs }, ruleContext)
  return why === null
}

/** Closes all positions on a market at its last price. */
export function leaveMarket(
  books: Books,
  { market, ...leaving }: Leaving & Readonly<{ market: MarketId }>,
  ruleContext: RuleContext,
): void {
  books.held = keptOf(books.held, (held) => held.position.market !== market || !leave(held, leaving, ruleContext))
}

/**
 * Sets the timer for time limits. Nearly all positions close before their time limit, so one timer serves all
 * positions of the token.
 */
function awaitTimeOut(books: Books, atMs: EpochMs, { context }: RuleContext): void {
  if (books.timeOutAtMs !== null && books.timeOutAtMs <= atMs) return
  books.timeOutAtMs = atMs
  context.wakeAt(atMs)
}

/** Closes the positions whose time limit is reached by `dueAtMs`, at the last price. */
export function leaveInTime(books: Books, dueAtMs: EpochMs, ruleContext: RuleContext): void {
  if (books.timeOutAtMs === null || books.timeOutAtMs > dueAtMs) return
  books.timeOutAtMs = null
  books.held = keptOf(books.held, (held) => {
    const atMs = timeOutAtMs(held.position, laneOf(ruleContext.desk, held.lane).exit)
    if (atMs <= dueAtMs) return !leave(held, { why: 'time', atMs }, ruleContext)
    awaitTimeOut(books, atMs, ruleContext)
    return true
  })
}

type Leaving = Readonly<{ why: DeskExit; atMs: EpochMs }>

function leave({ lane, signalAtMs, position }: OpenPosition, leaving: Leaving, { desk, context }: RuleContext): true {
  const closed = closeTrade(position, { costRatio: desk.costRatio, ...leaving })
  const { book } = laneOf(desk, lane)
  if (signalAtMs === null) context.emit({ type: 'DeskTwin', data: { lane, ...closed } })
  else context.emit({ type: 'DeskTrade', data: { book, lane, signalAtMs, ...closed } })
  return true
}
