/**
 * What the fold of markets needs of a chain: where a token trades, and at what price. Each chain has one such value. Prices are
 * those of the log: coin per raw token unit, after the last trade.
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
  /** The fill of a curve, 0-1; null for a pool. */
  fill: number | null
  /** In raw token units. Null: not known. */
  supplyRaw: number | null
  /** When the stage forgets it, unless a call keeps it. Null: not before nothing happened on it for `idleLifeMs`. */
  forgottenAtMs: number | null
  /** Used only where `forgottenAtMs` is null. */
  idleLifeMs: number
}>

/** A market as its price is asked for: how deep it is costs more, and matters only beside others. */
export type Quote = Omit<Market, 'depth' | 'forgottenAtMs' | 'idleLifeMs'>

/** The stage follows the market no longer. `next` goes on in its place at once, as a pool where its curve is complete. */
export type Closing = Readonly<{ market: Hex; closedAtMs: number; next: Hex | null }>

export type Prices<State, Types extends StageTypes> = Readonly<{
  /** The facts that set prices and depths. */
  reads: readonly Types['fact']['type'][]
  /** The records that close markets, of processors before it. */
  readsDerived: readonly Types['derived']['type'][]
  initialState(): State
  /** The market whose price the fact set, or null: it set none. */
  onFact(state: State, fact: Types['fact']): Hex | null
  /** Null: the record closes no market. */
  closingOf(state: State, record: Types['derived']): Closing | null
  /** Nothing more is known of the market. */
  forget(state: State, market: Hex): void
  /** The curve that the fact says is complete. Null: it says nothing of it. */
  completedBy(state: State, fact: Types['fact']): Hex | null
  /** An empty state is as at the beginning. */
  isEmpty(state: State): boolean
  /** The price alone, of a market that `onFact` named. Cheap: asked at every trade. Null: the market is not known or has none. */
  pxOf(state: State, market: Hex): number | null
  /** The fill alone, of a curve that `onFact` named: 0-1. Null: the market is no curve that is known. */
  fillOf(state: State, market: Hex): number | null
  /** Depths cost more than prices: ask when they are needed. */
  marketOf(state: State, market: Hex): Market | null
  /** Null: nobody can pull the liquidity of a market of the chain. */
  liquidity: Liquidity<State, Types> | null
}>

/** `Price`: as the chain has it, so that the coin side can be counted at the price of another moment. */
export type Liquidity<State, Types extends StageTypes, Price = unknown> = Readonly<{
  txHashOf(fact: Types['fact']): Hex
  /** The pool whose liquidity the fact will change. Null: that of none. */
  changedBy(state: State, fact: Types['fact']): Hex | null
  priceOf(state: State, market: Hex): Price
  /** In coin, of all positions. 0 where the market is not known any more. */
  coinSideAt(state: State, market: Hex, price: Price): number
  /** Whether nobody has a position. */
  isEmptied(state: State, market: Hex): boolean
}>

type Depth = Pick<Market, 'market' | 'depth'>

/** The first by address among equals. */
export const isDeeper = (left: Depth, right: Depth): boolean =>
  left.depth !== right.depth ? left.depth > right.depth : left.market < right.market
