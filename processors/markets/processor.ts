/**
 * The processor that computes the markets of each token. It runs before all processors that need a token's
 * price.
 */
import { type CallAnswer, isCallAnswer, type Mentioned } from '../../schemas/calls/facts.ts'
import { followedUntilMs, followingsAfter, forgottenAtMs, withCall } from '../../schemas/calls/following.ts'
import { priceMemoryMs } from '../../schemas/calls/retention.ts'
import type { StageTypes } from '../../schemas/stage.ts'
import type { EpochMs } from '../../schemas/units.ts'
import type { Processor, ProcessorContext } from '../processor.ts'
import {
  closeMarket,
  type FoldRun,
  type MarketsState,
  type MarketTypes,
  noMarketsState,
  settle,
  takeFact,
} from './fold.ts'
import type { Line } from './line.ts'
import { compactMarkets, hasPast, openLines, pruneMarkets } from './markets.ts'
import { secondOf } from './points.ts'
import type { Prices } from './prices.ts'

export function createMarkets<PriceState, Types extends MarketTypes>(
  prices: Prices<PriceState, Types>,
): Processor<MarketsState<PriceState>, Types> {
  type State = MarketsState<PriceState>
  type Context = ProcessorContext<Types>
  const { liquidity } = prices
  const runOf = (state: State, { move }: Context): FoldRun<PriceState, Types> => ({ state, prices, emit: move })
  return {
    name: 'markets',
    initialState: () => noMarketsState(prices.initialState()),
    markets: (state) => state.markets,
    reads: prices.reads,
    readsDerived: prices.readsDerived,
    onFact(state, fact, context) {
      takeFact(runOf(state, context), fact)
      if (state.pruneAtMs === 0 && hasPast(state.markets)) waitToPrune(state, fact.data.blockAtMs, context)
    },
    ...(liquidity && {
      onBlockEnd(state: State, _: unknown, context: Context) {
        if (state.changing.length > 0) settle(runOf(state, context), liquidity)
      },
    }),
    onDerived(state, record, context) {
      const closing = prices.closingOf(state.prices, record)
      if (closing === null) return
      const { market, closedAtMs, next } = closing
      const line = openLines(state.markets).find((open) => open.market === market)
      const run = runOf(state, context)
      if (line === undefined) prices.forget(state.prices, market)
      else if (next !== null || line.endedAtMs !== null) closeMarket(run, line, { closedAtMs, next })
      else closeOrKeep(run, { line, atMs: closedAtMs }, context)
      if (state.pruneAtMs === 0 && hasPast(state.markets)) waitToPrune(state, closedAtMs, context)
    },
    /**
     * A call (a post that recommends the token) with `isFollowed` keeps the markets of the token open until
     * the 48-hour observation after it is over. The call must have been recorded in time.
     */
    onAnswer({ markets }, answer, context) {
      if (!isCallAnswer(answer) || (answer as CallAnswer).type !== 'Mentioned') return
      const mention = answer.data as Mentioned
      if (mention.kind !== 'call' || !mention.isFollowed) return
      markets.followings = withCall(markets.followings, mention)
      context.wakeAt(followedUntilMs(mention.postedAtMs))
    },
    onWake(state, dueAtMs, context) {
      const { markets } = state
      for (const line of openLines(markets))
        if (line.releasedAtMs !== null) closeOrKeep(runOf(state, context), { line, atMs: dueAtMs }, context)
      markets.followings = followingsAfter(markets.followings, dueAtMs + 1)
      if (state.pruneAtMs === dueAtMs) state.pruneAtMs = 0
      else if (state.pruneAtMs > 0) return
      if (pruneMarkets(markets, dueAtMs)) waitToPrune(state, dueAtMs, context)
    },
    trim: ({ markets }) => compactMarkets(markets),
    isEmpty: ({ prices: state, markets: { lines, followings } }) =>
      prices.isEmpty(state) && lines.length === 0 && followings.length === 0,
  }
}

type Waking = Pick<ProcessorContext<StageTypes>, 'wakeAt'>
type Ending = Readonly<{ line: Line; atMs: EpochMs }>

/** Closes a market that is no longer tracked for its own sake, unless a call keeps it open. */
function closeOrKeep<PriceState, Types extends MarketTypes>(
  run: FoldRun<PriceState, Types>,
  { line, atMs }: Ending,
  context: Waking,
): void {
  const keptUntilMs = forgottenAtMs(line.releasedAtMs ?? atMs, run.state.markets.followings)
  if (keptUntilMs <= atMs) closeMarket(run, line, { closedAtMs: atMs, next: null })
  else {
    line.releasedAtMs ??= atMs
    context.wakeAt(keptUntilMs)
  }
}

function waitToPrune(state: Pick<MarketsState<unknown>, 'pruneAtMs'>, atMs: EpochMs, context: Waking): void {
  state.pruneAtMs = secondOf(atMs) + priceMemoryMs
  context.wakeAt(state.pruneAtMs)
}
