/**
 * Computes the expected last version of each pool's minute rows. A pool has a row for each minute with swaps.
 * Before the first swap, a pool also has a row for each minute in which its liquidity changed.
 */
import type { OracleEvents, OraclePool } from '../events.ts'
import { ethHeld } from '../pool-rows.ts'

type ExpectedMinute = Readonly<{
  pool: string
  minuteAtMs: number
  buyWei: bigint
  sellWei: bigint
  buys: number
  sells: number
  lastPx: number | null
  lastSwapAtMs: number | null
  liqEth: number
}>

const minuteMs = 60_000
/** A pool is closed at this age. */
const followedMs = 1530 * minuteMs
const minuteAt = (atMs: number): number => Math.floor(atMs / minuteMs) * minuteMs

export const minutesOf = (events: OracleEvents): readonly ExpectedMinute[] =>
  events.pools.flatMap((pool) => minutesOfPool(pool, events))

function minutesOfPool(pool: OraclePool, events: OracleEvents): readonly ExpectedMinute[] {
  const isFollowed = ({ atMs }: Readonly<{ atMs: number }>) => atMs <= pool.createdAtMs + followedMs
  const swaps = events.swaps.filter((swap) => swap.pool === pool.id && isFollowed(swap))
  const liquidity = events.liquidity.filter((change) => change.pool === pool.id && isFollowed(change))
  const firstOrder = swaps[0]?.order ?? Number.POSITIVE_INFINITY
  const early = liquidity.filter(({ order }) => order < firstOrder)
  const firstPrice = events.firstPrices.find((price) => price.pool === pool.id)
  const starts = new Set([...swaps, ...early].map(({ atMs }) => minuteAt(atMs)))
  return [...starts].map((minuteAtMs) => {
    const inside = swaps.filter(({ atMs }) => minuteAt(atMs) === minuteAtMs)
    const last = inside.at(-1)
    const held = liquidity.filter(({ order, atMs }) => (last ? order < last.order : minuteAt(atMs) <= minuteAtMs))
    const isPriced = firstPrice !== undefined && firstPrice.order < (held.at(-1)?.order ?? 0)
    const price = last ?? (isPriced ? firstPrice : undefined)
    const [buys, sells] = [inside.filter(({ ethWei }) => ethWei > 0n), inside.filter(({ ethWei }) => ethWei < 0n)]
    const sum = (some: typeof inside) => some.reduce((total, { ethWei }) => total + ethWei, 0n)
    return {
      ...{ pool: pool.id, minuteAtMs, buyWei: sum(buys), sellWei: -sum(sells), buys: buys.length, sells: sells.length },
      ...{ lastPx: last?.px ?? null, lastSwapAtMs: last?.atMs ?? null },
      liqEth: price === undefined ? 0 : ethHeld(held, price.sqrtPrice, pool.ethIsToken0),
    }
  })
}
