/**
 * Decides whether a burst's liquidity was pulled. The input is the node's state before and after each
 * transaction that changed the liquidity.
 */
import assert from 'node:assert/strict'
import type { OracleBurst } from './bursts.ts'
import type { OracleLiquidity, OraclePool } from './events.ts'
import type { OracleRules } from './oracle-rules.ts'
import { holdingAt, type World } from './ownership.ts'
import { ethHeld } from './pool-rows.ts'
import type { Holding } from './recording.ts'

/**
 * A pull (removal of liquidity). `order` is the position of the transaction's first change. Among the swaps
 * after it, only those of the transaction `tx` count.
 */
export type OracleRug = Readonly<{ atMs: number; lpRemoved: number; order: number; tx: string }>

/**
 * Returns the pull of the liquidity after a burst. Returns null if enough liquidity was left until the end of
 * the window.
 */
export function findRug(world: World, burst: OracleBurst, rules: OracleRules): OracleRug | null {
  const pool = world.events.pools.find(({ id }) => id === burst.pool)
  assert(pool !== undefined)
  const endAtMs = burst.at + rules.scoredAfterMs
  const changes = world.events.liquidity.filter(
    (change) => change.pool === pool.id && change.block > burst.block && change.atMs <= endAtMs && change.delta !== 0n,
  )
  let remaining = 1
  for (const block of new Set(changes.map((change) => change.block))) {
    const inBlock = changes.filter((change) => change.block === block)
    const [first] = inBlock
    assert(first !== undefined)
    const ratio = ratioOf(world, pool, { inBlock, rules })
    if (ratio === null) return null
    remaining *= ratio
    if (remaining <= rules.rugRatioMax + 1e-12)
      return { atMs: first.atMs, lpRemoved: 1 - remaining, order: first.order, tx: first.tx }
  }
  return null
}

/**
 * Returns the ETH after the changes divided by the ETH before. Both are computed at the price before the
 * changes. Null: the state was not read. If no position is left, all liquidity counts as removed, even if the
 * pool held no ETH.
 */
function ratioOf(
  world: World,
  pool: OraclePool,
  { inBlock, rules }: Readonly<{ inBlock: readonly OracleLiquidity[]; rules: OracleRules }>,
): number | null {
  const [first] = inBlock
  assert(first !== undefined)
  const isOne = inBlock.every(({ tx }) => tx === first.tx)
  assert(isOne, `two transactions changed ${pool.id} in block ${first.block}: its state cannot tell them apart`)
  const before = holdingAt(world, pool.id, first.block - 1)
  const after = holdingAt(world, pool.id, first.block)
  if (before === undefined || after === undefined) return null
  if (after.positions.length === 0) return 0
  const sqrtPrice = priceBefore(world, pool, first.order)
  const measure = (positions: readonly Range[]) =>
    rules.rugBy === 'eth'
      ? ethHeld(positions, sqrtPrice, pool.ethIsToken0)
      : positions.reduce((sum, { delta }) => sum + Number(delta), 0)
  const had = measure(rangesOf(before))
  const left = rules.rugIgnoresAdds
    ? measure([...rangesOf(before), ...inBlock.filter(({ delta }) => delta < 0n)])
    : measure(rangesOf(after))
  return had > 0 ? left / had : 1
}

type Range = Readonly<{ lower: number; upper: number; delta: bigint }>

const rangesOf = ({ positions }: Holding): readonly Range[] =>
  positions.map(({ lower, upper, liquidity }) => ({ lower, upper, delta: BigInt(liquidity) }))

/** Returns the price after the last swap that counts. If there is none, returns the first price of the pool. */
function priceBefore({ events }: World, pool: OraclePool, order: number): number {
  const isBefore = (event: Readonly<{ pool: string; order: number }>) => event.pool === pool.id && event.order < order
  const price = events.swaps.findLast(isBefore) ?? events.firstPrices.find(isBefore)
  assert(price !== undefined)
  return price.sqrtPrice
}
