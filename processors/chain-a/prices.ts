/** Where a token of chain A trades: its pools, and its curve until that is closed. Swaps that do not count set no price. */
import { curveMarketCapEth, curveProgress } from '../../schemas/chain-a/curve.ts'
import type {
  CurveFound,
  CurveLaunched,
  CurveTraded,
  LiquidityChanged,
  PoolCreated,
  PoolInitialized,
  Swap,
} from '../../schemas/chain-a/facts.ts'
import { priceFromSqrt } from '../../schemas/chain-a/pool-price.ts'
import type { ChainATypes } from '../../schemas/chain-a/stage.ts'
import type { Hex } from '../../schemas/units.ts'
import { type Closing, deepestOf, type Market, type Prices, type Quote } from '../calls/prices.ts'
import { counts, type PoolIdentity, poolIdentityOf } from './pools/pool.ts'
import { changeLiquidity, liquidityEth, type Positions } from './pools/positions.ts'

type PricedPool = { readonly identity: PoolIdentity; sqrtPriceX96: bigint | null; positions: Positions }

type PricedCurve = {
  readonly curve: Hex
  readonly launchAtMs: number | null
  readonly graduationWei: bigint
  readonly phantomWei: bigint
  readonly supplyRaw: bigint
  reserveWei: bigint
}

/** A list of pools, because most tokens have one and a map would be most of the memory of it. */
export type ChainAPrices = {
  pools: readonly PricedPool[]
  /** The first that is launched or found. */
  curve: PricedCurve | null
  /** Of a token that was launched on a curve; its pools have it too. Null: not known. */
  supplyRaw: bigint | null
}

export const chainAPrices: Prices<ChainAPrices, ChainATypes> = {
  reads: ['PoolCreated', 'PoolInitialized', 'Swap', 'LiquidityChanged', 'CurveLaunched', 'CurveFound', 'CurveTraded'],
  readsDerived: ['PoolClosed', 'CurveClosed'],
  initialState: () => ({ pools: [], curve: null, supplyRaw: null }),
  onFact(state, fact) {
    switch (fact.type) {
      case 'Swap':
        return takeSwap(state, fact.data)
      case 'CurveTraded':
        return takeTrade(state, fact.data)
      case 'LiquidityChanged':
        return takeLiquidity(state, fact.data)
      case 'PoolCreated':
        return openPool(state, fact.data)
      case 'PoolInitialized':
        return pricePool(state, fact.data)
      case 'CurveLaunched':
        return state.curve === null ? setCurve(state, launchedCurve(fact.data)) : null
      case 'CurveFound':
        return findCurve(state, fact.data)
      default:
        return null
    }
  },
  onDerived(state, record) {
    if (record.type === 'PoolClosed') return closePool(state, record.data)
    return record.type === 'CurveClosed' ? closeCurve(state, record.data) : null
  },
  isEmpty: ({ pools, curve }) => pools.length === 0 && curve === null,
  pxOf({ pools, curve }, market) {
    if (curve?.curve === market) return curvePx(curve)
    const pool = poolOf(pools, market)
    return pool === undefined ? null : poolPx(pool)
  },
  fillOf: ({ curve }, market) => (curve?.curve === market ? curveProgress(curve) : null),
  marketOf({ pools, curve, supplyRaw }, market) {
    if (curve?.curve === market) return curveMarketOf(curve)
    const pool = poolOf(pools, market)
    return pool === undefined ? null : poolMarketOf(pool, supplyRaw)
  },
  deepest: (state) => onlyOf(state) ?? deepestOf(marketsOf(state)),
  marketsOf,
}

function marketsOf({ pools, curve, supplyRaw }: ChainAPrices): readonly Market[] {
  const markets = pools.flatMap((pool) => poolMarketOf(pool, supplyRaw) ?? [])
  return curve === null ? markets : [curveMarketOf(curve), ...markets]
}

/** The price of a token that has one market. Null: it has several or none. */
function onlyOf({ pools, curve, supplyRaw }: ChainAPrices): Quote | null {
  if (curve !== null) return pools.length === 0 ? curveMarketOf(curve) : null
  const [pool] = pools
  return pools.length === 1 && pool !== undefined ? poolQuoteOf(pool, supplyRaw) : null
}

function poolOf(pools: readonly PricedPool[], address: string): PricedPool | undefined {
  for (const pool of pools) if (pool.identity.pool === address) return pool
  return undefined
}

function takeSwap({ pools }: ChainAPrices, swap: Swap): Hex | null {
  const pool = poolOf(pools, swap.pool)
  if (pool === undefined || !counts(swap, pool.identity)) return null
  pool.sqrtPriceX96 = swap.sqrtPriceX96
  return swap.pool
}

/** Of a pool without a swap the initial price stands. */
function openPool(state: ChainAPrices, fact: PoolCreated): Hex | null {
  if (poolOf(state.pools, fact.pool) !== undefined) return null
  const pool = { identity: poolIdentityOf(fact), sqrtPriceX96: fact.sqrtPriceX96, positions: [] }
  state.pools = [...state.pools, pool]
  return fact.sqrtPriceX96 === null ? null : fact.pool
}

function pricePool({ pools }: ChainAPrices, fact: PoolInitialized): Hex | null {
  const pool = poolOf(pools, fact.pool)
  if (pool === undefined) return null
  pool.sqrtPriceX96 = fact.sqrtPriceX96
  return fact.pool
}

function takeLiquidity({ pools }: ChainAPrices, fact: LiquidityChanged): null {
  const pool = poolOf(pools, fact.pool)
  if (pool !== undefined) changeLiquidity(pool, fact)
  return null
}

const launchedCurve = (fact: CurveLaunched): PricedCurve => ({
  curve: fact.curve,
  launchAtMs: fact.blockAtMs,
  graduationWei: fact.graduationWei,
  phantomWei: fact.phantomWei,
  supplyRaw: fact.supplyRaw,
  reserveWei: 0n,
})

/** The fact says what is in the curve, whatever came before. */
function findCurve(state: ChainAPrices, fact: CurveFound): Hex | null {
  const { curve, launchAtMs, graduationWei, phantomWei, supplyRaw, reserveWei } = fact
  if (state.curve !== null && state.curve.curve !== curve) return null
  return setCurve(state, { curve, launchAtMs, graduationWei, phantomWei, supplyRaw, reserveWei })
}

function setCurve(state: ChainAPrices, curve: PricedCurve): Hex {
  state.curve = curve
  state.supplyRaw = curve.supplyRaw
  return curve.curve
}

/** Fees never stay in the reserve. */
function takeTrade({ curve }: ChainAPrices, trade: CurveTraded): Hex | null {
  if (curve?.curve !== trade.curve) return null
  curve.reserveWei += trade.ethWei - trade.feeWei - trade.taxWei
  return curve.curve
}

function closePool(state: ChainAPrices, { pool, closedAtMs }: Readonly<{ pool: Hex; closedAtMs: number }>) {
  const others = state.pools.filter(({ identity }) => identity.pool !== pool)
  if (others.length === state.pools.length) return null
  state.pools = others
  return closingOf(state, pool, closedAtMs)
}

function closeCurve(state: ChainAPrices, { curve, closedAtMs }: Readonly<{ curve: Hex; closedAtMs: number }>) {
  if (state.curve?.curve !== curve) return null
  state.curve = null
  return closingOf(state, curve, closedAtMs)
}

function closingOf(state: ChainAPrices, market: Hex, closedAtMs: number): Closing {
  if (state.pools.length === 0 && state.curve === null) state.supplyRaw = null
  return { markets: [market], closedAtMs }
}

const poolPx = ({ identity, sqrtPriceX96 }: PricedPool): number | null =>
  sqrtPriceX96 === null ? null : priceFromSqrt(sqrtPriceX96, identity.ethIsCurrency0)

function poolQuoteOf(pool: PricedPool, supplyRaw: bigint | null): Quote | null {
  const px = poolPx(pool)
  if (px === null) return null
  return {
    market: pool.identity.pool,
    source: 'pool',
    px,
    openedAtMs: pool.identity.createdAtMs,
    fill: null,
    supplyRaw: supplyRaw === null ? null : Number(supplyRaw),
  }
}

function poolMarketOf(pool: PricedPool, supplyRaw: bigint | null): Market | null {
  const { identity, sqrtPriceX96, positions } = pool
  const quote = poolQuoteOf(pool, supplyRaw)
  if (quote === null || sqrtPriceX96 === null) return null
  return { ...quote, depth: liquidityEth(positions, sqrtPriceX96, identity.ethIsCurrency0) }
}

const curvePx = (curve: PricedCurve): number => curveMarketCapEth(curve) / Number(curve.supplyRaw)

const curveMarketOf = (curve: PricedCurve): Market => ({
  market: curve.curve,
  source: 'curve',
  px: curvePx(curve),
  depth: Number(curve.reserveWei) / 1e18,
  openedAtMs: curve.launchAtMs,
  fill: curveProgress(curve),
  supplyRaw: Number(curve.supplyRaw),
})
