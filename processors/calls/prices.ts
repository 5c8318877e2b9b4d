/**
 * What rules about calls and the desk need of a chain: where a token trades now, and at what price. Each chain has one such
 * value, and rules keep its state within their own. Prices are those of the log: coin per raw token unit, after the last trade.
 */
import type { StageTypes } from '../../schemas/stage.ts'
import type { Hex } from '../../schemas/units.ts'

/** A pool or curve where the token trades. */
export type Market = Readonly<{
  market: Hex
  source: 'curve' | 'pool'
  /** Coin per raw token unit. */
  px: number
  /** The coin side, in coin. The deepest market prices a token. */
  depth: number
  /** Null: not known. */
  openedAtMs: number | null
  /** Of a curve, 0-1; null of a pool. */
  fill: number | null
  /** In raw token units. Null: not known. */
  supplyRaw: number | null
}>

/** A market as its price is asked for: how deep it is costs more, and matters only beside others. */
export type Quote = Omit<Market, 'depth'>

/** Nothing more is known of these markets. */
export type Closing = Readonly<{ markets: readonly Hex[]; closedAtMs: number }>

export type Prices<State, Types extends StageTypes> = Readonly<{
  /** The facts that set prices and depths. A processor that uses this value reads them. */
  reads: readonly Types['fact']['type'][]
  /** The records that close markets, of processors before it. */
  readsDerived: readonly Types['derived']['type'][]
  initialState(): State
  /** The market whose price the fact set, or null: it set none. */
  onFact(state: State, fact: Types['fact']): Hex | null
  /** Markets that the stage closes are forgotten. Null: it closed none. */
  onDerived(state: State, record: Types['derived']): Closing | null
  /** An empty state is as at the beginning. */
  isEmpty(state: State): boolean
  /** The price alone, of a market that `onFact` named. Cheap: asked at every trade. Null: the market is not known or has none. */
  pxOf(state: State, market: Hex): number | null
  /** The fill alone, of a curve that `onFact` named: 0-1. Null: the market is no curve that is known. */
  fillOf(state: State, market: Hex): number | null
  marketOf(state: State, market: Hex): Market | null
  /** The deepest market with a price, the first by address among equals. Null: none is known. */
  deepest(state: State): Quote | null
  /** All markets with a price, in no order. Depths cost more than prices: ask when they are needed. */
  marketsOf(state: State): readonly Market[]
}>

/** The deepest market with a price, the first by address among equals. Null: none is known. */
export function deepestOf(markets: readonly Market[]): Market | null {
  let deepest: Market | null = null
  for (const market of markets) if (deepest === null || isDeeper(market, deepest)) deepest = market
  return deepest
}

type Depth = Pick<Market, 'market' | 'depth'>

export const isDeeper = (left: Depth, right: Depth): boolean =>
  left.depth !== right.depth ? left.depth > right.depth : left.market < right.market
