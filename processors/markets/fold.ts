/** Updates the markets of a token from its facts. All prices of trades are computed here. */
import assert from 'node:assert/strict'
import type { BlockFields, StageRecord, StageTypes } from '../../schemas/stage.ts'
import type { EpochMs, MarketId, TxHash } from '../../schemas/units.ts'
import { noItems, withItem } from '../lean-list.ts'
import { bandOf } from './band.ts'
import type { Line } from './line.ts'
import { closeLine, leftNow, lineOf, type Markets, noMarkets, openLine, openLines } from './markets.ts'
import type { Move } from './move.ts'
import { addPoint, noPoints, pushPoint, secondOf } from './points.ts'
import type { Liquidity, Prices } from './prices.ts'

export type MarketTypes = StageTypes & Readonly<{ fact: StageRecord & Readonly<{ data: BlockFields }> }>

/**
 * A transaction in progress that changes the liquidity of a pool. `price` and `before` are the pool's price
 * and amount of coins before its first change.
 */
type Changing = Readonly<{ market: MarketId; txHash: TxHash; atMs: EpochMs; price: unknown; before: number }>

export type MarketsState<PriceState> = {
  readonly prices: PriceState
  readonly markets: Markets
  changing: readonly Changing[]
  /** The time at which old state is deleted next, in ms. 0 if there is nothing to delete. */
  pruneAtMs: EpochMs
}

export const noMarketsState = <PriceState>(prices: PriceState): MarketsState<PriceState> => ({
  prices,
  markets: noMarkets(),
  changing: noItems,
  pruneAtMs: 0,
})

/**
 * The arguments of one update of the markets. The functions change `state` in place. They pass each change of
 * a market (a move) to `emit` at once.
 */
export type FoldRun<PriceState, Types extends MarketTypes> = Readonly<{
  state: MarketsState<PriceState>
  prices: Prices<PriceState, Types>
  emit(move: Move): void
}>

type Closing = Readonly<{ closedAtMs: EpochMs; next: MarketId | null }>

export function takeFact<PriceState, Types extends MarketTypes>(
  run: FoldRun<PriceState, Types>,
  fact: Types['fact'],
): void {
  const { state, prices, emit } = run
  const { blockAtMs: atMs } = fact.data
  const { liquidity } = prices
  if (liquidity !== null) {
    if (state.changing.length > 0) endChanges(run, liquidity, liquidity.txHashOf(fact))
    beginChange(state, liquidity, fact)
  }
  const market = prices.onFact(state.prices, fact)
  if (market !== null) takePrice(run, market, fact)
  if (state.markets.lines.length > 1) measureDepths(run, market, atMs)
  const completed = prices.completedBy(state.prices, fact)
  const line = completed === null ? undefined : lineOf(state.markets, completed)
  if (line !== undefined) complete(line, atMs, emit)
}

/**
 * Completes the liquidity changes of all transactions. Call this function at the end of a block. Only a later
 * fact or the end of the block shows that a transaction is over.
 */
export const settle = <PriceState, Types extends MarketTypes>(
  run: FoldRun<PriceState, Types>,
  liquidity: Liquidity<PriceState, Types>,
): void => endChanges(run, liquidity, null)

/** Closes an open market. */
export function closeMarket<PriceState, Types extends MarketTypes>(
  { state, prices, emit }: FoldRun<PriceState, Types>,
  line: Line,
  { closedAtMs, next }: Closing,
): void {
  const { market } = line
  // A market that another market replaces was completed, even if no fact reported this.
  if (next !== null) complete(line, closedAtMs, emit)
  closeLine(line, closedAtMs, next)
  prices.forget(state.prices, market)
  emit({ type: 'closed', market, atMs: closedAtMs, next })
}

function takePrice<PriceState, Types extends MarketTypes>(
  run: FoldRun<PriceState, Types>,
  market: MarketId,
  fact: Types['fact'],
): void {
  const { state, prices, emit } = run
  const px = prices.pxOf(state.prices, market)
  if (px === null) return
  const { blockAtMs: atMs } = fact.data
  const line = enter(run, market, atMs)
  state.markets.newestAtMs = secondOf(atMs)
  // A curve that is found again is tracked again, not only because of calls.
  if (fact.type === 'CurveFound') line.releasedAtMs = null
  addPoint(line.prices, atMs, px)
  line.movedAtMs = atMs
  if (line.source === 'curve') noteFill(line, atMs, prices.fillOf(state.prices, market))
  emit({ type: 'price', market, atMs, px, fact })
}

/**
 * Returns the line (the stored history) of a market that has a price. If the market is new, a line is
 * created.
 */
function enter<PriceState, Types extends MarketTypes>(
  run: FoldRun<PriceState, Types>,
  market: MarketId,
  atMs: EpochMs,
): Line {
  const { state, prices } = run
  const known = lineOf(state.markets, market)
  if (known?.closedAtMs === null) return known
  const opened = openLine(state.markets, prices.marketOf(state.prices, market))
  // The new market replaces each open market that has no price any more.
  for (const line of openLines(state.markets))
    if (line !== opened && prices.pxOf(state.prices, line.market) === null)
      closeMarket(run, line, { closedAtMs: atMs, next: market })
  return opened
}

/**
 * Measures the depth (the amount of coins) of the market that got a new price from the fact. Without a new price,
 * all depths are measured, because the fact may have changed any of them.
 */
function measureDepths<PriceState, Types extends MarketTypes>(
  { state, prices }: FoldRun<PriceState, Types>,
  market: MarketId | null,
  atMs: EpochMs,
): void {
  const open = openLines(state.markets)
  if (open.length < 2) return
  for (const line of open) {
    if (market !== null && market !== line.market && line.depths !== null) continue
    line.depths ??= noPoints()
    addPoint(line.depths, atMs, prices.marketOf(state.prices, line.market).depth)
  }
}

function beginChange<PriceState, Types extends MarketTypes>(
  state: MarketsState<PriceState>,
  liquidity: Liquidity<PriceState, Types>,
  fact: Types['fact'],
): void {
  const market = liquidity.changedBy(state.prices, fact)
  if (market === null || state.changing.some((change) => change.market === market)) return
  const price = liquidity.priceOf(state.prices, market)
  const before = liquidity.coinSideAt(state.prices, market, price)
  const { blockAtMs: atMs } = fact.data
  state.changing = withItem(state.changing, { market, txHash: liquidity.txHashOf(fact), atMs, price, before })
}

/**
 * Completes the liquidity changes of all transactions except `currentTxHash`. If `currentTxHash` is null,
 * completes those of all transactions.
 */
function endChanges<PriceState, Types extends MarketTypes>(
  run: FoldRun<PriceState, Types>,
  liquidity: Liquidity<PriceState, Types>,
  currentTxHash: TxHash | null,
): void {
  const { state } = run
  const over = state.changing.filter(({ txHash }) => txHash !== currentTxHash)
  if (over.length === 0) return
  state.changing = state.changing.filter(({ txHash }) => txHash === currentTxHash)
  for (const change of over) endChange(run, liquidity, change)
}

function endChange<PriceState, Types extends MarketTypes>(
  { state, emit }: FoldRun<PriceState, Types>,
  liquidity: Liquidity<PriceState, Types>,
  { market, price, before, atMs }: Changing,
): void {
  const line = lineOf(state.markets, market)
  assert(line?.closedAtMs === null, 'a pool must not be closed within a block')
  const ratio = liquidity.isEmptied(state.prices, market)
    ? 0
    : ratioOf(before, liquidity.coinSideAt(state.prices, market, price))
  const known = leftNow(line)
  // When an emptied pool gets liquidity again, its remaining share begins at 1 again.
  const left = known === 0 && ratio > 0 ? 1 : known * ratio
  line.movedAtMs = atMs
  if (left !== known) {
    line.lefts ??= { atMs: [0], value: [1] }
    pushPoint(line.lefts, atMs, left)
  }
  emit({ type: 'liquidity', market, atMs, ratio, left })
}

/** Returns `after` / `before`. If there were no coins before, the result is 1. */
const ratioOf = (before: number, after: number): number => (before > 0 ? after / before : 1)

function complete(line: Line, atMs: EpochMs, emit: (move: Move) => void): void {
  if (line.endedAtMs !== null) return
  line.endedAtMs = atMs
  emit({ type: 'graduated', market: line.market, atMs })
}

function noteFill(line: Line, atMs: EpochMs, fill: number): void {
  line.fill = fill
  const last = line.fills?.value.at(-1)
  if (last !== undefined && bandOf(last) === bandOf(fill)) return
  line.fills ??= noPoints()
  addPoint(line.fills, atMs, fill)
}
