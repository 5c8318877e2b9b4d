/**
 * The functions that a chain provides to the processor `markets`, as one `Prices` object per chain. They show
 * where a token is traded, and the price after the last trade there, in coin per raw token unit.
 */
import type { StageTypes } from '../../schemas/stage.ts'
import type { DurationMs, EpochMs, MarketId, TxHash } from '../../schemas/units.ts'

/** A pool or curve where the token trades. */
export type Market = Readonly<{
  market: MarketId
  source: 'curve' | 'pool'
  /** The price, in coin per raw token unit. */
  px: number
  /** The amount of coins in the market. The market with the most coins gives the price of the token. */
  depth: number
  /** The time at which the market opened. Null if it is not known. */
  openedAtMs: EpochMs | null
  /** The fill of a curve (the sold share of its tokens), 0 to 1. Null for a pool. */
  fill: number | null
  /** The supply, in raw token units. Null: not known. */
  supplyRaw: number | null
  /**
   * The time at which the service stops tracking the market, unless a call (a post that recommends the token)
   * keeps it open. If null, tracking stops after `idleLifeMs` without a fact.
   */
  forgottenAtMs: EpochMs | null
  /**
   * The time without facts after which the service stops tracking the market, in ms. Used only if
   * `forgottenAtMs` is null.
   */
  idleLifeMs: DurationMs
}>

/**
 * The fields of a market at one time, without its depth. Only a token with several markets needs depths, and
 * a depth takes longer to compute.
 */
export type Quote = Omit<Market, 'depth' | 'forgottenAtMs' | 'idleLifeMs'>

/**
 * The time at which the service stops tracking a market. `next` is the market that replaces it, such as the
 * pool after a completed curve. Null if no market replaces it.
 */
export type Closing = Readonly<{ market: MarketId; closedAtMs: EpochMs; next: MarketId | null }>

export type Prices<State, Types extends StageTypes> = Readonly<{
  /** The facts that set prices and depths. */
  reads: readonly Types['fact']['type'][]
  /** The types of records by which earlier processors report that a market is closed. */
  readsDerived: readonly Types['derived']['type'][]
  initialState(): State
  /** Takes in a fact and returns the market whose price it set. Null: the fact set no price. */
  onFact(state: State, fact: Types['fact']): MarketId | null
  /** Returns the market that the record closes. Null: the record closes none. */
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
  /** Returns the fill (the sold share of the tokens, 0 to 1) of a curve that `onFact` returned. */
  fillOf(state: State, market: MarketId): number
  /**
   * Returns all fields of a market that has a price. Call this function only if all fields are needed,
   * because the depth takes time to compute.
   */
  marketOf(state: State, market: MarketId): Market
  /**
   * The functions that measure liquidity. Null: on this chain nobody can withdraw the liquidity of a market.
   */
  liquidity: Liquidity<State, Types> | null
}>

/**
 * Functions that measure the liquidity of pools. `Price` is a price in the chain's own form. With it, the
 * coins in a pool at that price can be computed later.
 */
export type Liquidity<State, Types extends StageTypes, Price = unknown> = Readonly<{
  txHashOf(fact: Types['fact']): TxHash
  /** Returns the pool whose liquidity the fact will change. Null: the fact changes no liquidity. */
  changedBy(state: State, fact: Types['fact']): MarketId | null
  /** Returns the price of a pool that `changedBy` returned. */
  priceOf(state: State, market: MarketId): Price
  /** Returns the amount of the chain's coin in all liquidity positions of the pool, at this price. */
  coinSideAt(state: State, market: MarketId, price: Price): number
  /** Returns whether the market has no liquidity position left. */
  isEmptied(state: State, market: MarketId): boolean
}>

type Depth = Pick<Market, 'market' | 'depth'>

/**
 * Returns whether the left market has more coins. If both have equally many, the market with the lower
 * address counts as deeper.
 */
export const isDeeper = (left: Depth, right: Depth): boolean =>
  left.depth !== right.depth ? left.depth > right.depth : left.market < right.market
