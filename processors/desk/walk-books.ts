/** Applies market changes and timers to the state of the paper desk (simulated trading) for one token. */

import assert from 'node:assert/strict'
import type { EpochMs } from '../../schemas/units.ts'
import { keptOf } from '../lean-list.ts'
import type { Line } from '../markets/line.ts'
import { deepestNow, leftNow, lineOf, pxNow } from '../markets/markets.ts'
import type { Move } from '../markets/move.ts'
import type { Books, RuleContext } from './books.ts'
import { watchEndMs } from './calls.ts'
import { isInBand } from './lanes.ts'
import { judgeOpenPositions, leaveInTime, leaveMarket, open } from './open-positions.ts'
import { endShadow, followShadow, shadowDueAtMs, shadowOf } from './shadow.ts'
import { dropPulled, fillDue } from './signals.ts'
import { tradableNow } from './tradable-market.ts'
import { nextTwinAtMs } from './twin.ts'

export function takeMove(books: Books, move: Move, ruleContext: RuleContext): void {
  if (move.type === 'graduated' || move.type === 'closed') endMarket(books, move, ruleContext)
  else followMove(books, move, ruleContext)
}

type Ending = Extract<Move, { type: 'graduated' | 'closed' }>

function followMove(books: Books, move: Exclude<Move, Ending>, ruleContext: RuleContext): void {
  const { market, atMs } = move
  if (move.type === 'liquidity') dropPulled(books, move, ruleContext)
  awaitTwins(books, atMs, ruleContext)
  const { held, shadows } = books
  if (held.length + shadows.length === 0) return
  const line = lineOf(ruleContext.context.markets, market)
  assert(line !== undefined, 'the market of the move is not known')
  if (line.endedAtMs !== null) return
  const tradable = { atMs, px: pxNow(line), left: leftNow(line) }
  judgeOpenPositions(books, { market, tradable }, ruleContext)
  for (const shadow of shadows) if (shadow.market === market) followShadow(shadow, tradable, ruleContext.desk)
}

function endMarket(books: Books, { type, market, atMs }: Ending, ruleContext: RuleContext): void {
  leaveMarket(books, { market, why: type === 'graduated' ? 'graduated' : 'time', atMs }, ruleContext)
  for (const shadow of books.shadows) if (shadow.market === market) endShadow(shadow, atMs)
  if (type === 'closed') publishShadows(books, (shadow) => shadow.market === market, ruleContext)
}

/** Does everything that is due at this time. Timers for the same time are merged into one timer. */
export function wake(books: Books, dueAtMs: EpochMs, ruleContext: RuleContext): void {
  leaveInTime(books, dueAtMs, ruleContext)
  fillDue(books, dueAtMs, ruleContext)
  publishShadows(books, (shadow) => shadowDueAtMs(shadow, ruleContext.desk) <= dueAtMs, ruleContext)
  if (books.call !== null && watchEndMs(books.call, ruleContext.desk) <= dueAtMs) books.call = null
  if (books.twinsDueAtMs === dueAtMs) openTwins(books, dueAtMs, ruleContext)
}

type IsOver = (shadow: Books['shadows'][number]) => boolean

function publishShadows(books: Books, isOver: IsOver, { desk, context }: RuleContext): void {
  if (books.shadows.length === 0) return
  const over = books.shadows.filter(isOver)
  if (over.length === 0) return
  books.shadows = keptOf(books.shadows, (shadow) => !isOver(shadow))
  for (const shadow of over) context.emit({ type: 'DeskShadow', data: shadowOf(shadow, desk) })
}

function awaitTwins(books: Books, atMs: EpochMs, { desk, context }: RuleContext): void {
  if (books.twinsDueAtMs !== null) return
  books.twinsDueAtMs = nextTwinAtMs(context.token, atMs, desk.twinSlotMs)
  context.wakeAt(books.twinsDueAtMs)
}

/**
 * Opens twins, which are comparison positions without a signal, and schedules the next ones. If no market of
 * the token has changed within `twinIdleMs`, the next change schedules them instead.
 */
function openTwins(books: Books, atMs: EpochMs, ruleContext: RuleContext): void {
  const { markets } = ruleContext.context
  const sinceMs = atMs - ruleContext.desk.twinIdleMs
  books.twinsDueAtMs = null
  if (!markets.lines.some((line) => isMoving(line, sinceMs))) return
  awaitTwins(books, atMs, ruleContext)
  const line = deepestNow(markets)
  const tradable = line && isMoving(line, sinceMs) ? tradableNow(line) : null
  if (line === null || tradable === null) return
  for (const { name: lane, twins } of ruleContext.desk.lanes)
    if (!('sameAs' in twins) && isInBand(twins, line, atMs) && !hasTwin(books, lane))
      open(books, { lane, signalAtMs: null, market: line.market, openedAtMs: atMs, tradable }, ruleContext)
}

const isMoving = ({ closedAtMs, endedAtMs, movedAtMs }: Line, sinceMs: EpochMs): boolean =>
  closedAtMs === null && endedAtMs === null && movedAtMs >= sinceMs

const hasTwin = ({ held }: Books, lane: string): boolean =>
  held.some((one) => one.signalAtMs === null && one.lane === lane)
