/**
 * What a chain provides to the fold of markets: where a token trades, and at what price. Each chain has one such value. Prices are
 * in coin per raw token unit, after the last trade.
 */
import type { StageTypes } from '../../schemas/stage.ts'
import type { DurationMs, EpochMs, MarketId, TxHash } from '../../schemas/units.ts'

/** A pool or curve where the token trades. */
export type Market = Readonly<{
  market: MarketId
  source: 'curve' | 'pool'
  /** Coin per raw token unit. */
  px: number
  /** The liquidity on the coin side, in coin. The deepest market prices a token. */
  depth: number
  /** When the market opened. Null: not known. */
  openedAtMs: EpochMs | null
  /** The fill of a curve, 0-1; null for a pool. */
  fill: number | null
  /** In raw token units. Null: not known. */
  supplyRaw: number | null
  /** When the stage forgets the market, unless a call keeps it. Null: once nothing has happened on it for `idleLifeMs`. */
  forgottenAtMs: EpochMs | null
  /** Used only where `forgottenAtMs` is null. */
  idleLifeMs: DurationMs
}>

/** A market without its depth, which costs more to compute and matters only beside other markets. */
export type Quote = Omit<Market, 'depth' | 'forgottenAtMs' | 'idleLifeMs'>

/** The stage stops following the market. `next` replaces it at once, such as the pool of a complete curve. */
export type Closing = Readonly<{ market: MarketId; closedAtMs: EpochMs; next: MarketId | null }>

export type Prices<State, Types extends StageTypes> = Readonly<{
  /** The facts that set prices and depths. */
  reads: readonly Types['fact']['type'][]
  /** The records of earlier processors that close markets. */
  readsDerived: readonly Types['derived']['type'][]
  initialState(): State
  /** Returns the market whose price the fact set. Null: it set none. */
  onFact(state: State, fact: Types['fact']): MarketId | null
  /** Returns the market that the record closes. Null: none. */
  closingOf(state: State, record: Types['derived']): Closing | null
  /** Forgets the market. */
  forget(state: State, market: MarketId): void
  /** Returns the curve that the fact says is complete. Null: it says nothing about that. */
  completedBy(state: State, fact: Types['fact']): MarketId | null
  /** Whether the state equals the initial one. */
  isEmpty(state: State): boolean
  /**
   * The price of a market that `onFact` named. Cheap, because it runs at every trade. Null: the market is unknown or has no price.
   */
  pxOf(state: State, market: MarketId): number | null
  /** The fill, 0-1, of a curve that `onFact` named. Null: the market is not a known curve. */
  fillOf(state: State, market: MarketId): number | null
  /** The whole market. Computes a depth, so call it only when that is needed. */
  marketOf(state: State, market: MarketId): Market | null
  /** Null: the liquidity of the chain's markets cannot be pulled. */
  liquidity: Liquidity<State, Types> | null
}>

/** `Price`: the price in the form of the chain, so that the coin side can be computed at the price of another moment. */
export type Liquidity<State, Types extends StageTypes, Price = unknown> = Readonly<{
  txHashOf(fact: Types['fact']): TxHash
  /** The pool whose liquidity the fact will change. Null: none. */
  changedBy(state: State, fact: Types['fact']): MarketId | null
  priceOf(state: State, market: MarketId): Price
  /** The coin side of all positions, in coin. 0 if the market is no longer known. */
  coinSideAt(state: State, market: MarketId, price: Price): number
  /** Whether the market has no position left. */
  isEmptied(state: State, market: MarketId): boolean
}>

type Depth = Pick<Market, 'market' | 'depth'>

/** Compares depths. Among equals, the first by address wins. */
export const isDeeper = (left: Depth, right: Depth): boolean =>
  left.depth !== right.depth ? left.depth > right.depth : left.market < right.market
