/**
 * Describes the markets of a token of chain A: its pools, and its curve until the curve is closed. Swaps for
 * which `isCounted` is false set no price.
 */

import assert from 'node:assert/strict'
import { curveMarketCapEth, curveProgress } from '../../../schemas/chain-a/curve.ts'
import type {
  CurveFound,
  CurveLaunched,
  CurveTraded,
  LiquidityChanged,
  PoolCreated,
  PoolInitialized,
  Swap,
} from '../../../schemas/chain-a/facts.ts'
import { type ChainANumbers, chainANumbers } from '../../../schemas/chain-a/numbers.ts'
import { priceFromSqrt } from '../../../schemas/chain-a/pool-price.ts'
import type { ChainATypes } from '../../../schemas/chain-a/stage.ts'
import type {
  Address,
  BlockNumber,
  DurationMs,
  EpochMs,
  MarketId,
  PoolId,
  SqrtPriceX96,
  TokenRaw,
  Wei,
} from '../../../schemas/units.ts'
import { keptOf, noItems, withItem } from '../../lean-list.ts'
import type { Closing, Liquidity, Market, Prices } from '../../markets/prices.ts'
import { isCounted, type PoolIdentity, poolIdentityOf } from '../pools/pool.ts'
import { changeLiquidity, liquidityEth, noPositions, type Positions } from '../pools/positions.ts'

type PricedPool = { readonly identity: PoolIdentity; sqrtPriceX96: SqrtPriceX96 | null; positions: Positions }

type PricedCurve = {
  readonly curve: Address
  readonly launchAtMs: EpochMs | null
  readonly graduationWei: Wei
  readonly phantomWei: Wei
  readonly supplyRaw: TokenRaw
  reserveWei: Wei
}

/**
 * The markets of one token. `pools` is a list, because most tokens have only one pool and a map would take
 * most of the memory of this state.
 */
export type ChainAPrices = {
  pools: readonly PricedPool[]
  /** The first curve of the token that was launched or found. */
  curve: PricedCurve | null
  /** The supply of a token that was launched on a curve. The token's pools use it too. Null: not known. */
  supplyRaw: TokenRaw | null
  /**
   * The block in which the curve graduated (a pool replaced it). Usually the pool is created in the same
   * block.
   */
  graduatedBlock: BlockNumber | null
}

const liquidity: Liquidity<ChainAPrices, ChainATypes, bigint> = {
  txHashOf: ({ data }) => data.txHash,
  /**
   * Returns the pool whose liquidity this fact changes. Null for a collection of fees, because it changes no
   * liquidity. Null for a pool without a price, because the ETH in it cannot be computed.
   */
  changedBy({ pools }, fact) {
    if (fact.type !== 'LiquidityChanged' || fact.data.liquidityDelta === 0n) return null
    const pool = poolOf(pools, fact.data.pool)
    return pool === undefined || pool.sqrtPriceX96 === null ? null : pool.identity.pool
  },
  priceOf: ({ pools }, market) => sqrtPriceOf(knownPool(pools, market)),
  coinSideAt({ pools }, market, sqrtPriceX96) {
    const { positions, identity } = knownPool(pools, market)
    return liquidityEth(positions, sqrtPriceX96, identity.ethIsCurrency0)
  },
  isEmptied: ({ pools }, market) => knownPool(pools, market).positions.length === 0,
}

type LifeRules = Pick<ChainANumbers, 'pools' | 'curves'>

export const createChainAPrices = ({
  pools: { lifeMs: poolLifeMs },
  curves: { lifeMs: curveLifeMs },
}: LifeRules): Prices<ChainAPrices, ChainATypes> => ({
  reads: [
    'PoolCreated',
    'PoolInitialized',
    'Swap',
    'LiquidityChanged',
    'CurveLaunched',
    'CurveFound',
    'CurveTraded',
    'CurveCompleted',
    'CurveGraduated',
  ],
  readsDerived: ['PoolClosed', 'CurveClosed'],
  initialState: () => ({ pools: noItems, curve: null, supplyRaw: null, graduatedBlock: null }),
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
      case 'CurveGraduated':
        if (state.curve?.curve === fact.data.curve) state.graduatedBlock = fact.data.blockNumber
        return null
      default:
        return null
    }
  },
  closingOf(state, record) {
    if (record.type === 'PoolClosed') return closingOf(record.data.pool, record.data.closedAtMs)
    assert(record.type === 'CurveClosed', 'the record does not close a market')
    return { ...closingOf(record.data.curve, record.data.closedAtMs), next: ownPoolOf(state) }
  },
  forget(state, market) {
    state.pools = keptOf(state.pools, ({ identity }) => identity.pool !== market)
    if (state.curve?.curve === market) Object.assign(state, { curve: null, graduatedBlock: null })
    if (state.pools.length === 0 && state.curve === null) state.supplyRaw = null
  },
  completedBy: ({ curve }, { type, data }) =>
    (type === 'CurveCompleted' || type === 'CurveGraduated') && curve?.curve === data.curve ? data.curve : null,
  isEmpty: ({ pools, curve }) => pools.length === 0 && curve === null,
  pxOf({ pools, curve }, market) {
    return curve?.curve === market ? curvePx(curve) : poolPx(knownPool(pools, market))
  },
  fillOf({ curve }, market) {
    assert(curve?.curve === market, 'the market is not the known curve, so it has no fill')
    return curveProgress(curve)
  },
  marketOf({ pools, curve, supplyRaw }, market) {
    if (curve?.curve === market) return curveMarketOf(curve, curveLifeMs)
    return poolMarketOf(knownPool(pools, market), supplyRaw, poolLifeMs)
  },
  liquidity,
})

export const chainAPrices = createChainAPrices(chainANumbers)

const closingOf = (market: MarketId, closedAtMs: EpochMs): Closing => ({ market, closedAtMs, next: null })

/**
 * Returns the pool that replaced the curve. This is the pool created in the block in which the curve
 * graduated, or otherwise the newest pool. Returns null if the curve has not graduated or the token has no
 * pool.
 */
const ownPoolOf = ({ pools, graduatedBlock }: ChainAPrices): PoolId | null =>
  graduatedBlock === null
    ? null
    : ((pools.find(({ identity }) => identity.createdBlock === graduatedBlock) ?? pools.at(-1))?.identity.pool ?? null)

function poolOf(pools: readonly PricedPool[], address: string): PricedPool | undefined {
  for (const pool of pools) if (pool.identity.pool === address) return pool
  return undefined
}

function knownPool(pools: readonly PricedPool[], address: string): PricedPool {
  const pool = poolOf(pools, address)
  assert(pool !== undefined, 'the pool is not known')
  return pool
}

function takeSwap({ pools }: ChainAPrices, swap: Swap): PoolId | null {
  const pool = poolOf(pools, swap.pool)
  if (pool === undefined || !isCounted(swap, pool.identity)) return null
  pool.sqrtPriceX96 = swap.sqrtPriceX96
  return swap.pool
}

/** Adds a pool. Until the first swap, the price of the pool is its initial price. */
function openPool(state: ChainAPrices, fact: PoolCreated): PoolId | null {
  if (poolOf(state.pools, fact.pool) !== undefined) return null
  const pool = { identity: poolIdentityOf(fact), sqrtPriceX96: fact.sqrtPriceX96, positions: noPositions }
  state.pools = withItem(state.pools, pool)
  return fact.sqrtPriceX96 === null ? null : fact.pool
}

function pricePool({ pools }: ChainAPrices, fact: PoolInitialized): PoolId | null {
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

/** Replaces the state of the curve by the state in the fact. */
function findCurve(state: ChainAPrices, fact: CurveFound): Address | null {
  const { curve, launchAtMs, graduationWei, phantomWei, supplyRaw, reserveWei } = fact
  if (state.curve !== null && state.curve.curve !== curve) return null
  return setCurve(state, { curve, launchAtMs, graduationWei, phantomWei, supplyRaw, reserveWei })
}

function setCurve(state: ChainAPrices, curve: PricedCurve): Address {
  state.curve = curve
  state.supplyRaw = curve.supplyRaw
  return curve.curve
}

/** Updates the reserve of the curve by a trade. Fees are not part of the reserve. */
function takeTrade({ curve }: ChainAPrices, trade: CurveTraded): Address | null {
  if (curve?.curve !== trade.curve) return null
  curve.reserveWei += trade.ethWei - trade.feeWei - trade.taxWei
  return curve.curve
}

function sqrtPriceOf({ sqrtPriceX96 }: PricedPool): SqrtPriceX96 {
  assert(sqrtPriceX96 !== null, 'a pool without a price must not count as a market')
  return sqrtPriceX96
}

const poolPx = (pool: PricedPool): number => priceFromSqrt(sqrtPriceOf(pool), pool.identity.ethIsCurrency0)

function poolMarketOf(pool: PricedPool, supplyRaw: TokenRaw | null, lifeMs: DurationMs): Market {
  const { identity, positions } = pool
  return {
    market: identity.pool,
    source: 'pool',
    px: poolPx(pool),
    depth: liquidityEth(positions, sqrtPriceOf(pool), identity.ethIsCurrency0),
    openedAtMs: identity.createdAtMs,
    fill: null,
    ...{ forgottenAtMs: identity.createdAtMs + lifeMs, idleLifeMs: lifeMs },
    supplyRaw: supplyRaw === null ? null : Number(supplyRaw),
  }
}

const curvePx = (curve: PricedCurve): number => curveMarketCapEth(curve) / Number(curve.supplyRaw)

const curveMarketOf = (curve: PricedCurve, idleLifeMs: DurationMs): Market => ({
  market: curve.curve,
  source: 'curve',
  px: curvePx(curve),
  depth: Number(curve.reserveWei) / 1e18,
  openedAtMs: curve.launchAtMs,
  fill: curveProgress(curve),
  ...{ forgottenAtMs: null, idleLifeMs },
  supplyRaw: Number(curve.supplyRaw),
})
