/**
 * The functions that a chain provides to the markets processor. They show where a token trades, and at what
 * price. Each chain has one `Prices` object. A price is the price after the last trade, in coin per raw token
 * unit.
 */
import type { StageTypes } from '../../schemas/stage.ts'
import type { DurationMs, EpochMs, MarketId, TxHash } from '../../schemas/units.ts'

/** A pool or curve where the token trades. */
export type Market = Readonly<{
  market: MarketId
  source: 'curve' | 'pool'
  /** The price, in coin per raw token unit. */
  px: number
  /** The coins in the market. The deepest market gives the price of the token. */
  depth: number
  /** The time at which the market opened. Null if it is not known. */
  openedAtMs: EpochMs | null
  /** The fill of a curve, 0-1. Null for a pool. */
  fill: number | null
  /** The supply, in raw token units. Null: not known. */
  supplyRaw: number | null
  /**
   * The time at which the stage stops following the market, unless a call keeps the market open. If null, the
   * stage stops after `idleLifeMs` without a fact.
   */
  forgottenAtMs: EpochMs | null
  /** The time without facts after which the stage stops following the market. Used only if `forgottenAtMs` is null. */
  idleLifeMs: DurationMs
}>

/** A market without its depth. Only a token with several markets needs depths, and a depth takes longer to compute. */
export type Quote = Omit<Market, 'depth' | 'forgottenAtMs' | 'idleLifeMs'>

/**
 * The time at which the stage stops following a market. `next` is the market that replaces it, such as the
 * pool of a complete curve. `next` is null if no market replaces it.
 */
export type Closing = Readonly<{ market: MarketId; closedAtMs: EpochMs; next: MarketId | null }>

export type Prices<State, Types extends StageTypes> = Readonly<{
  /** The facts that set prices and depths. */
  reads: readonly Types['fact']['type'][]
  /** The records of earlier processors that close markets. */
  readsDerived: readonly Types['derived']['type'][]
  initialState(): State
  /** Applies a fact and returns the market whose price it set. Null: the fact set no price. */
  onFact(state: State, fact: Types['fact']): MarketId | null
  /** Returns the market that the record closes. Null: none. */
  closingOf(state: State, record: Types['derived']): Closing | null
  forget(state: State, market: MarketId): void
  /** Returns the curve that the fact reports as complete. Null: the fact reports no completion. */
  completedBy(state: State, fact: Types['fact']): MarketId | null
  /** Returns whether the state equals the initial state. */
  isEmpty(state: State): boolean
  /**
   * Returns the price of a market that `onFact` returned. Returns null if the market has no price now. The
   * function must be fast, because it runs at every trade.
   */
  pxOf(state: State, market: MarketId): number | null
  /** Returns the fill, 0-1, of a curve that `onFact` returned. */
  fillOf(state: State, market: MarketId): number
  /**
   * Returns all fields of a market that has a price. Call this function only if all fields are needed,
   * because the depth takes time to compute.
   */
  marketOf(state: State, market: MarketId): Market
  /** The functions that measure liquidity. Null: the liquidity of the chain's markets cannot be pulled. */
  liquidity: Liquidity<State, Types> | null
}>

/** `Price` is a price in the chain’s own form. The coins in a pool can be computed later at such a price. */
export type Liquidity<State, Types extends StageTypes, Price = unknown> = Readonly<{
  txHashOf(fact: Types['fact']): TxHash
  /** Returns the pool whose liquidity the fact will change. Null: the fact changes no liquidity. */
  changedBy(state: State, fact: Types['fact']): MarketId | null
  /** Returns the price of a pool that `changedBy` returned. */
  priceOf(state: State, market: MarketId): Price
  /** Returns the amount of the chain's coin in all positions at the price. */
  coinSideAt(state: State, market: MarketId, price: Price): number
  /** Returns whether the market has no position left. */
  isEmptied(state: State, market: MarketId): boolean
}>

type Depth = Pick<Market, 'market' | 'depth'>

/** Compares depths. Of two equal depths, the market that is first by address counts as deeper. */
export const isDeeper = (left: Depth, right: Depth): boolean =>
  left.depth !== right.depth ? left.depth > right.depth : left.market < right.market
