/**
 * Computes the rows of pools at a point in time, with the sums of each of the last minutes. All earlier swaps
 * are counted.
 */
import type { OracleBurst, OracleTier } from './bursts.ts'
import type { OracleEvents, OracleLiquidity, OraclePool, OracleSwap } from './events.ts'
import type { OracleRules } from './oracle-rules.ts'
import { lastBlockShown } from './shown.ts'

/** The columns are minuteStartMs, netEth, buyEth, sellEth, buys and sells. */
type OracleMinute = readonly [number, number, number, number, number, number]

export type OraclePoolRow = Readonly<{
  id: string
  dex: 'v4' | 'v3'
  token: string
  createdBlock: number
  createdAtMs: number
  lastPx: number
  liqEth: number
  lastSwapAt: number
  net60m: number
  buys60m: number
  sells60m: number
  fired: readonly OracleTier[]
  mins: readonly OracleMinute[]
}>

const minuteMs = 60_000
const minutesShown = 60
const trackedMs = 24 * 60 * minuteMs

/** A point in time. `blockAtMs` is the time of the newest block. */
export type Instant = Readonly<{
  atMs: number
  blockAtMs: number
  bursts: readonly OracleBurst[]
  rules: OracleRules
}>

/** Returns all pools with a price that were created in the last 24 h, the newest first. */
export function poolRowsAt(events: OracleEvents, instant: Instant): readonly OraclePoolRow[] {
  return events.pools
    .filter((pool) => pool.createdAtMs <= instant.atMs && pool.createdAtMs > instant.atMs - trackedMs)
    .flatMap((pool) => poolRow(pool, events, instant) ?? [])
    .sort((a, b) => b.createdBlock - a.createdBlock || a.id.localeCompare(b.id))
}

function poolRow(pool: OraclePool, events: OracleEvents, instant: Instant): OraclePoolRow | null {
  const { atMs, bursts, rules } = instant
  const isHere = (event: Readonly<{ pool: string; atMs: number }>) => event.pool === pool.id && event.atMs <= atMs
  const swaps = shownSwaps(pool, events, instant)
  const last = swaps.at(-1)
  const price = last ?? events.firstPrices.find(isHere)
  if (price === undefined) return null
  const positions = events.liquidity.filter(
    (change) => isHere(change) && (last === undefined || change.order < last.order),
  )
  const mins = minuteRows(swaps, atMs, rules)
  const total = (column: 1 | 4 | 5) => mins.reduce((sum, row) => sum + row[column], 0)
  return {
    id: pool.id,
    dex: pool.dex,
    token: pool.token,
    createdBlock: pool.createdBlock,
    createdAtMs: pool.createdAtMs,
    lastPx: price.px,
    liqEth: ethHeld(positions, price.sqrtPrice, pool.ethIsToken0),
    lastSwapAt: last?.atMs ?? pool.createdAtMs,
    net60m: total(1),
    buys60m: total(4),
    sells60m: total(5),
    fired: bursts.filter((burst) => burst.pool === pool.id && burst.at <= atMs).map((burst) => burst.tier),
    mins,
  }
}

/**
 * Returns the swaps that the published row of a pool includes. A swap can be delayed and published with later
 * swaps. Before the first swap, a change of the liquidity can also start such a delay.
 */
function shownSwaps({ id }: OraclePool, events: OracleEvents, { blockAtMs }: Instant): readonly OracleSwap[] {
  const isHere = (event: Readonly<{ pool: string; atMs: number }>) => event.pool === id && event.atMs <= blockAtMs
  const swaps = events.swaps.filter(isHere)
  const first = swaps[0]?.order ?? Number.POSITIVE_INFINITY
  const liquidity = events.liquidity.filter((change) => isHere(change) && change.order < first)
  const changes = [...liquidity, ...swaps].sort((a, b) => a.order - b.order)
  const lastBlock = lastBlockShown(changes, { nowMs: blockAtMs, endsWithMinute: true })
  return swaps.filter(({ block }) => block <= lastBlock)
}

/** Returns sixty rows, the oldest first. The last row is the current minute. */
function minuteRows(swaps: readonly OracleSwap[], atMs: number, rules: OracleRules): readonly OracleMinute[] {
  const running = Math.floor(atMs / minuteMs) * minuteMs
  return Array.from({ length: minutesShown }, (_, index) => {
    const startMs = running - (minutesShown - 1 - index) * minuteMs
    const { buyWei, sellWei, buys, sells } = minuteAt(swaps, startMs, rules)
    const eth = (wei: bigint) => Number(wei) / 1e18
    return [startMs, eth(buyWei - sellWei), eth(buyWei), eth(sellWei), buys, sells] as const
  })
}

/** Returns the sums of the trades in the minute that begins at `startMs`. */
export function minuteAt(
  swaps: readonly Pick<OracleSwap, 'atMs' | 'ethWei'>[],
  startMs: number,
  { buySign }: OracleRules,
) {
  const inside = swaps.filter(({ atMs }) => atMs >= startMs && atMs < startMs + minuteMs)
  const amounts = inside.map(({ ethWei }) => ethWei * BigInt(buySign))
  const [buys, sells] = [amounts.filter((wei) => wei > 0n), amounts.filter((wei) => wei < 0n)]
  const total = (some: readonly bigint[]) => some.reduce((sum, wei) => sum + wei, 0n)
  return { buyWei: total(buys), sellWei: -total(sells), buys: buys.length, sells: sells.length }
}

/** Returns the ETH of all positions at a price. Positions with the same range are added together. */
export function ethHeld(
  changes: readonly Pick<OracleLiquidity, 'lower' | 'upper' | 'delta'>[],
  sqrtPrice: number,
  ethIsToken0: boolean,
): number {
  const ranges = new Map<string, { lower: number; upper: number; liquidity: bigint }>()
  for (const { lower, upper, delta } of changes) {
    const range = ranges.get(`${lower}:${upper}`) ?? { lower, upper, liquidity: 0n }
    ranges.set(`${lower}:${upper}`, { ...range, liquidity: range.liquidity + delta })
  }
  let wei = 0
  for (const { lower, upper, liquidity } of ranges.values()) {
    const [low, high] = [1.0001 ** (lower / 2), 1.0001 ** (upper / 2)]
    const inside = Math.min(Math.max(sqrtPrice, low), high)
    wei += Number(liquidity) * (ethIsToken0 ? 1 / inside - 1 / high : inside - low)
  }
  return wei / 1e18
}
