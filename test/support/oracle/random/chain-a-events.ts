/** Converts the facts of randomly drawn trades to the events from which tests recompute all answers. */
import type { ChainAFact, LiquidityChanged, Swap } from '../../../../schemas/chain-a/facts.ts'
import type { OracleEvents, OraclePool } from '../events.ts'
import type { DrawnPool } from './chain-a-market.ts'

export function eventsOf(drawn: readonly DrawnPool[], facts: readonly ChainAFact[]): OracleEvents {
  const its = facts.flatMap((fact) => {
    const pool = drawn.find((one) => 'pool' in fact.data && one.pool === fact.data.pool)
    if (pool === undefined) return []
    const { blockNumber: block, blockAtMs: atMs, logIndex: order } = fact.data
    return [{ fact, pool, at: { pool: pool.pool, block, atMs, order } }]
  })
  const created = its.filter(({ fact }) => fact.type === 'PoolCreated')
  return {
    pools: drawn.flatMap((pool) => poolOf(pool, created.find((one) => one.pool === pool)?.at) ?? []),
    swaps: its.flatMap(({ fact, pool, at }) =>
      fact.type === 'Swap' && isCounted(fact.data, pool)
        ? [{ ...at, ...priceOf(fact.data.sqrtPriceX96, pool), ethWei: fact.data.ethWei, tx: fact.data.txHash }]
        : [],
    ),
    liquidity: its.flatMap(({ fact, at }) =>
      fact.type === 'LiquidityChanged' ? [{ ...at, ...changeOf(fact.data) }] : [],
    ),
    transfers: its.flatMap(({ fact, at }) => (fact.type === 'PositionTransferred' ? [at] : [])),
    touches: its.map(({ at }) => at),
    firstPrices: its.flatMap(({ fact, pool, at }) =>
      (fact.type === 'PoolCreated' || fact.type === 'PoolInitialized') && fact.data.sqrtPriceX96 !== null
        ? [{ ...at, ...priceOf(fact.data.sqrtPriceX96, pool) }]
        : [],
    ),
  }
}

function poolOf(pool: DrawnPool, at: Readonly<{ block: number; atMs: number }> | undefined): OraclePool | null {
  if (at === undefined) return null
  return {
    ...{ id: pool.pool, dex: pool.isV4 ? 'v4' : 'v3', token: pool.token, ethIsToken0: pool.ethIsCurrency0 },
    ...{ hooks: pool.hooks, creator: pool.creator ?? '', createdBlock: at.block, createdAtMs: at.atMs },
  }
}

function priceOf(sqrtPriceX96: bigint, { ethIsCurrency0 }: DrawnPool) {
  const sqrtPrice = Number(sqrtPriceX96) / 2 ** 96
  return { sqrtPrice, px: (ethIsCurrency0 ? 1 / sqrtPrice ** 2 : sqrtPrice ** 2) * 1e-18 }
}

const isCounted = ({ ethWei, tick, sender }: Swap, { hooks }: DrawnPool): boolean =>
  ethWei !== 0n && Math.abs(tick) < 887_271 && sender !== hooks

const changeOf = ({ tickLower, tickUpper, liquidityDelta, owner, salt, txHash, txSender }: LiquidityChanged) => ({
  ...{ lower: tickLower, upper: tickUpper, delta: liquidityDelta, owner, salt },
  ...{ tx: txHash, sender: txSender ?? '' },
})
