/** Computes the prices and the liquidity of a simulated token from its transactions. */
import { curveMarketCapEth } from '../../../schemas/chain-a/curve.ts'
import type { LiquidityChanged, PoolCreated, Swap } from '../../../schemas/chain-a/facts.ts'
import { ethInPosition, priceFromSqrt, priceTickMax, priceTickMin } from '../../../schemas/chain-a/pool-price.ts'
import type { Address, Hex, PoolId, SqrtPriceX96, TokenRaw, Wei } from '../../../schemas/units.ts'
import type { PriceSource } from '../../prices/price-source.ts'
import { createSimulatedPrices } from '../../prices/simulated-prices.ts'
import type { MarketStep } from '../../simulated/market/steps.ts'
import type { Identities } from './identities.ts'
import type { Draft } from './launch.ts'
import type { Transaction } from './life.ts'
import type { Market } from './plan.ts'
import { priceTickAtSqrt } from './price-tick-math.ts'
import { storyOf } from './stories.ts'

type Range = Readonly<{ tickLower: number; tickUpper: number }> & { liquidity: bigint }

type PoolBook = {
  readonly of: Hex
  readonly ethIsCurrency0: boolean
  readonly hooks: Address | null
  /**
   * The price after the last trade that sets the price. Before the first such trade, the initial price of the
   * pool. `swap` decides which trades set the price.
   */
  sqrtPriceX96: SqrtPriceX96 | null
  /** The price tick after the last trade, including trades that do not set the price. */
  priceTick: number
  readonly ranges: Range[]
  left: number
}

type CurveBook = {
  readonly curve: Address
  readonly phantomWei: Wei
  readonly supplyRaw: TokenRaw
  reserveWei: Wei
  isComplete: boolean
}

type Books = { readonly pools: Map<PoolId, PoolBook>; curve: CurveBook | null }

export function stepsOf(transactions: Iterable<Transaction>): readonly MarketStep[] {
  const books: Books = { pools: new Map(), curve: null }
  const steps: MarketStep[] = []
  for (const { second, drafts } of transactions) steps.push(...stepsOfTransaction(books, second, drafts))
  return steps
}

function* stepsOfTransaction(books: Books, second: number, drafts: readonly Draft[]): Generator<MarketStep> {
  const changed = new Map<Hex, number>()
  let isCurveMoved = false
  for (const draft of drafts) {
    const pool = 'pool' in draft.data ? books.pools.get(draft.data.pool) : undefined
    // Stores the ETH in the pool before the first liquidity change of the transaction. `left` is the part of
    // the liquidity that is left. It is multiplied below by the ETH after the transaction, divided by the
    // stored ETH.
    if (draft.type === 'LiquidityChanged' && pool && !changed.has(draft.data.pool))
      changed.set(draft.data.pool, ethOf(pool))
    isCurveMoved ||= draft.type.startsWith('Curve') && draft.type !== 'CurveGraduated'
    take(books, draft)
  }
  if (isCurveMoved && books.curve) yield { second, ...stepOfCurve(books.curve) }
  for (const market of new Set(drafts.flatMap(({ data }) => ('pool' in data ? [data.pool] : [])))) {
    const pool = books.pools.get(market)
    if (pool === undefined) continue
    const before = changed.get(market) ?? 0
    if (before > 0) pool.left *= ethOf(pool) / before
    yield { second, market, of: pool.of, source: 'pool', px: pxOf(pool), depth: ethOf(pool), left: pool.left }
  }
}

function take(books: Books, { type, data }: Draft): void {
  switch (type) {
    case 'PoolCreated':
      books.pools.set(data.pool, openPool(books, data))
      return
    case 'PoolInitialized':
      priced(books.pools.get(data.pool), data.sqrtPriceX96)
      return
    case 'Swap':
      swap(books.pools.get(data.pool), data)
      return
    case 'LiquidityChanged':
      change(books.pools.get(data.pool), data)
      return
    case 'CurveLaunched':
      books.curve = { ...data, reserveWei: 0n, isComplete: false }
      return
    case 'CurveTraded':
      if (books.curve) books.curve.reserveWei += data.ethWei - data.feeWei - data.taxWei
      return
    case 'CurveCompleted':
      if (books.curve) books.curve.isComplete = true
  }
}

type CreatedDraft = Pick<PoolCreated, 'pool' | 'ethIsCurrency0' | 'hooks' | 'sqrtPriceX96'>

/**
 * Creates the state of a pool. If the token graduated from a curve, `of` is the curve, so that both count as
 * one market.
 */
function openPool({ curve }: Books, { pool, ethIsCurrency0, hooks, sqrtPriceX96 }: CreatedDraft): PoolBook {
  const book: PoolBook = {
    ...{ of: curve?.curve ?? pool, ethIsCurrency0, hooks },
    ...{ sqrtPriceX96: null, priceTick: 0, ranges: [], left: 1 },
  }
  if (sqrtPriceX96 !== null) priced(book, sqrtPriceX96)
  return book
}

function priced(pool: PoolBook | undefined, sqrtPriceX96: SqrtPriceX96): void {
  if (pool === undefined) return
  pool.sqrtPriceX96 = sqrtPriceX96
  pool.priceTick = priceTickAtSqrt(sqrtPriceX96)
}

type SwapDraft = Pick<Swap, 'ethWei' | 'tick' | 'sender' | 'sqrtPriceX96'>

/**
 * Applies a swap. Three kinds of swaps do not set the price: swaps of zero ETH, swaps that end at the limits
 * of the price range, and swaps of the pool's own hook.
 */
function swap(pool: PoolBook | undefined, { ethWei, tick, sender, sqrtPriceX96 }: SwapDraft): void {
  if (pool === undefined) return
  pool.priceTick = tick
  const counts = ethWei !== 0n && tick > priceTickMin && tick < priceTickMax - 1 && sender !== pool.hooks
  if (counts) pool.sqrtPriceX96 = sqrtPriceX96
}

type ChangeDraft = Pick<LiquidityChanged, 'tickLower' | 'tickUpper' | 'liquidityDelta'>

function change(pool: PoolBook | undefined, { tickLower, tickUpper, liquidityDelta }: ChangeDraft): void {
  const range = pool?.ranges.find((each) => each.tickLower === tickLower && each.tickUpper === tickUpper)
  if (range) range.liquidity += liquidityDelta
  else pool?.ranges.push({ tickLower, tickUpper, liquidity: liquidityDelta })
}

function ethOf({ ranges, sqrtPriceX96, ethIsCurrency0 }: PoolBook): number {
  if (sqrtPriceX96 === null) return 0
  let eth = 0
  for (const range of ranges) if (range.liquidity > 0n) eth += ethInPosition(range, sqrtPriceX96, ethIsCurrency0)
  return eth
}

/**
 * Returns the price of the pool, in ETH per raw token unit. Returns null if no position covers the current
 * price.
 */
function pxOf({ ranges, sqrtPriceX96, priceTick, ethIsCurrency0 }: PoolBook): number | null {
  const isInRange = ranges.some(
    ({ tickLower, tickUpper, liquidity }) => liquidity > 0n && tickLower <= priceTick && priceTick < tickUpper,
  )
  if (sqrtPriceX96 === null || !isInRange) return null
  return priceFromSqrt(sqrtPriceX96, ethIsCurrency0)
}

/**
 * Returns the price and the liquidity after a trade on the curve. A complete curve sells no more tokens, so
 * its price is null.
 */
function stepOfCurve({ curve, phantomWei, reserveWei, supplyRaw, isComplete }: CurveBook): Omit<MarketStep, 'second'> {
  const px = isComplete ? null : curveMarketCapEth({ phantomWei, reserveWei }) / Number(supplyRaw)
  return { market: curve, of: curve, source: 'curve', px, depth: Number(reserveWei) / 1e18, left: 1 }
}

/**
 * Creates the source of the prices of simulated tokens at any time. The source also has prices of tokens that
 * the service no longer follows.
 */
export const createPrices = (market: Market, identities: Identities): PriceSource =>
  createSimulatedPrices((token) => {
    const story = storyOf(market, token, identities)
    return story === null ? null : stepsOf(story.transactions())
  })
