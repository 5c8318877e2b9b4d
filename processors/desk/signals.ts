/** Handles a signal of the paper desk from its time until a position is opened (the fill). */
import type { Lane } from '../../schemas/desk/rules.ts'
import type { Tick } from '../../schemas/tick.ts'
import type { EpochMs, MarketId } from '../../schemas/units.ts'
import { keptOf, withItem } from '../lean-list.ts'
import { deepestNow, leftAt, leftNow, lineOf } from '../markets/markets.ts'
import { isPulled } from '../markets/move.ts'
import type { Books, RuleContext, SignalKind, Waiting } from './books.ts'
import { open } from './open-positions.ts'
import { openShadow, shadowDueAtMs } from './shadow.ts'
import { type TradableMarket, tradableNow } from './tradable-market.ts'

/**
 * A signal on which the desk may open positions. With `isShadowed`, the prices in the hour after it are
 * recorded, even if no position is opened.
 */
type Signal = Readonly<{
  kind: SignalKind
  atMs: EpochMs
  market: MarketId | null
  lanes: readonly Lane[]
  isShadowed: boolean
}>

/**
 * Handles a signal. A lane (a set of trading rules) skips the signal while it has or awaits a position of the
 * token.
 */
export function takeSignal(
  books: Books,
  { kind, atMs, market, ...signal }: Signal,
  { desk, context }: RuleContext,
): void {
  const lanes = signal.lanes.map(({ name }) => name).filter((name) => !isBusy(books, name))
  const isShadowed = signal.isShadowed && !hasShadow(books, kind, atMs)
  if (lanes.length === 0 && !isShadowed) return
  const line = market === null ? deepestNow(context.markets) : lineOf(context.markets, market)
  // The liquidity of the market may have been removed between the signal and the time at which the service
  // recorded the signal.
  const held = line ? { market: line.market, left: leftAt(line, atMs) } : null
  if (line && held && isPulled(held.left, leftNow(line), desk.rugLeftRatioMax)) return
  books.waiting = withItem(books.waiting, { kind, signalAtMs: atMs, market, lanes, isShadowed, held, dueAtMs: null })
  context.awaitTick()
}

const isBusy = ({ waiting, held }: Books, lane: string): boolean =>
  waiting.some(({ lanes }) => lanes.includes(lane)) || held.some((one) => one.signalAtMs !== null && one.lane === lane)

const hasShadow = ({ waiting, shadows }: Books, kind: SignalKind, signalAtMs: EpochMs): boolean =>
  waiting.some((one) => one.isShadowed && one.kind === kind && one.signalAtMs === signalAtMs) ||
  shadows.some((one) => one.signal === kind && one.signalAtMs === signalAtMs)

/**
 * Sets for each signal the time at which its position opens. This is `fillDelayMs` after the latest of three
 * times: the signal, the time at which the service recorded it, and the block of the tick. Drops signals that
 * were recorded too late.
 */
export function learnSignals(books: Books, { knownAtMs, blockAtMs }: Tick, { desk, context }: RuleContext): void {
  const learned = books.waiting.flatMap((waiting): readonly Waiting[] => {
    const { signalAtMs, dueAtMs } = waiting
    if (dueAtMs !== null) return [waiting]
    if (knownAtMs - signalAtMs > desk.knownWithinMs) return []
    const fillAtMs = Math.max(signalAtMs, knownAtMs, blockAtMs) + desk.fillDelayMs
    context.wakeAt(fillAtMs)
    return [{ ...waiting, dueAtMs: fillAtMs }]
  })
  books.waiting = learned
}

/**
 * A change of a market's liquidity. If the liquidity was removed, signals that wait for a position on this
 * market are dropped.
 */
type Pull = Readonly<{ market: MarketId; left: number }>

export function dropPulled(books: Books, { market, left }: Pull, { desk }: RuleContext): void {
  if (books.waiting.length === 0) return
  const isDropped = ({ held }: Waiting) =>
    held !== null && held.market === market && isPulled(held.left, left, desk.rugLeftRatioMax)
  books.waiting = keptOf(books.waiting, (waiting) => !isDropped(waiting))
}

export function fillDue(books: Books, dueAtMs: EpochMs, ruleContext: RuleContext): void {
  if (books.waiting.length === 0) return
  const due = books.waiting.filter((one) => one.dueAtMs === dueAtMs)
  if (due.length === 0) return
  books.waiting = keptOf(books.waiting, (one) => one.dueAtMs !== dueAtMs)
  for (const waiting of due) fill(books, { waiting, dueAtMs }, ruleContext)
}

type Filling = Readonly<{ waiting: Waiting; dueAtMs: EpochMs }>

function fill(books: Books, { waiting, dueAtMs: openedAtMs }: Filling, ruleContext: RuleContext): void {
  const { markets } = ruleContext.context
  const line = waiting.market === null ? deepestNow(markets) : lineOf(markets, waiting.market)
  const tradable = line ? tradableNow(line) : null
  if (!line || tradable === null) return
  const { market } = line
  for (const lane of waiting.lanes)
    open(books, { lane, signalAtMs: waiting.signalAtMs, market, openedAtMs, tradable }, ruleContext)
  if (waiting.isShadowed) shadow(books, { market, tradable, waiting, anchorAtMs: openedAtMs }, ruleContext)
}

type Filled = Readonly<{ market: MarketId; tradable: TradableMarket; waiting: Waiting; anchorAtMs: EpochMs }>

function shadow(books: Books, { market, tradable, waiting, anchorAtMs }: Filled, { desk, context }: RuleContext): void {
  const { signalAtMs, kind: signal } = waiting
  const opened = openShadow({ signalAtMs, signal, anchorAtMs, market }, tradable)
  books.shadows = withItem(books.shadows, opened)
  context.wakeAt(shadowDueAtMs(opened, desk))
}
