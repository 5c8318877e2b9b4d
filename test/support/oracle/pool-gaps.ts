/**
 * Finds the gaps in the swaps of chain A pools a second time, from the facts. Prices are compared as
 * fractions of whole numbers.
 */
import type { TradeGap } from '../../../schemas/chain-a/derived.ts'
import type { ChainAFact, PoolFact, Swap } from '../../../schemas/chain-a/facts.ts'

/** A gap. `roundingWei` is the largest error of the volume when it is computed with doubles. */
export type OracleGap = TradeGap & Readonly<{ roundingWei: bigint }>

/** The facts of a pool from its creation until the service stops tracking the pool. */
type Life = readonly PoolFact[]

const lifeMs = 25.5 * 3_600_000
const q96 = 2n ** 96n

/** `facts`: in the order of the chain. */
export const poolGapsOf = (facts: readonly ChainAFact[]): readonly OracleGap[] =>
  livesOf(facts).flatMap((life) =>
    life.flatMap((fact, index) => (fact.type === 'Swap' ? (gapAt(life.slice(0, index), fact.data) ?? []) : [])),
  )

function livesOf(facts: readonly ChainAFact[]): readonly Life[] {
  const lives = new Map<string, PoolFact[]>()
  for (const fact of facts) {
    if (!('pool' in fact.data)) continue
    const life = lives.get(fact.data.pool)
    if (life === undefined) {
      if (fact.type === 'PoolCreated') lives.set(fact.data.pool, [fact as PoolFact])
    } else if (fact.data.blockAtMs <= (life[0]?.data.blockAtMs ?? 0) + lifeMs) life.push(fact as PoolFact)
  }
  return [...lives.values()]
}

/** A number of at least 0, as `over` divided by `under`. For infinity, `under` is 0. */
type Fraction = Readonly<{ over: bigint; under: bigint }>

const inverse = ({ over, under }: Fraction): Fraction => ({ over: under, under: over })
const times = (one: Fraction, other: Fraction): Fraction => ({
  over: one.over * other.over,
  under: one.under * other.under,
})
const plus = (one: Fraction, other: Fraction): Fraction => ({
  over: one.over * other.under + other.over * one.under,
  under: one.under * other.under,
})
const sizeOf = (number: bigint): bigint => (number < 0n ? -number : number)
const distance = (one: Fraction, other: Fraction): Fraction => ({
  over: sizeOf(one.over * other.under - other.over * one.under),
  under: one.under * other.under,
})
const isAtMost = (one: Fraction, other: Fraction): boolean => one.over * other.under <= other.over * one.under
const rounded = ({ over, under }: Fraction): bigint => (2n * over + under) / (2n * under)
const whole = (number: bigint): Fraction => ({ over: number, under: 1n })

function gapAt(past: Life, swap: Swap): OracleGap | null {
  const price = lastPriceIn(past)
  if (price === null || price.tick === null) return null
  const { tick } = price
  const { liquidity } = swap
  if (liquidity === 0n || liquidity !== liquidityAt(past, price, tick)) return null
  const bounds = boundsIn(past)
  if (bounds.length > 256) return null
  const [created] = past
  const ethIsCurrency0 = created?.type === 'PoolCreated' && created.data.ethIsCurrency0
  const leaving = leavingOf(swap, ethIsCurrency0)
  const root = rootBefore(swap, leaving)
  if (agrees(root, price.root, { liquidity, isCurrency0: leaving.isCurrency0 })) return null
  const [lower, upper] = [Math.min(tick, swap.tick), Math.max(tick, swap.tick)]
  if (bounds.some((bound) => lower < bound && bound <= upper)) return null
  const { pool, blockAtMs, txHash, logIndex } = swap
  const moved = ethIsCurrency0 ? distance(inverse(root), inverse(price.root)) : distance(root, price.root)
  const volume = isUncrossed(bounds, tick, root) && moved.under !== 0n ? rounded(times(moved, whole(liquidity))) : null
  const atRoot = rounded(times(ethIsCurrency0 ? inverse(root) : root, whole(liquidity)))
  return {
    ...{ pool, atMs: blockAtMs, txHash, logIndex, fromAtMs: price.atMs, toAtMs: blockAtMs },
    ...{ trades: null, volumeRaw: volume, state: 'open', failure: null },
    roundingWei: 1n + ((atRoot + (volume ?? 0n)) >> 50n),
  }
}

/** A price. `tick` is null if rounding could change it. `index` is the index of the price's fact. */
type Price = Readonly<{ root: Fraction; tick: number | null; liquidity: bigint; atMs: number; index: number }>

const isNearTick = (tick: number): boolean => Math.abs(tick - Math.round(tick)) < 1e-6

function lastPriceIn(past: Life): Price | null {
  const index = past.findLastIndex(
    ({ type }, at) => type === 'Swap' || type === 'PoolInitialized' || (type === 'PoolCreated' && at === 0),
  )
  const fact = past[index]
  if (fact === undefined || !('sqrtPriceX96' in fact.data) || fact.data.sqrtPriceX96 === null) return null
  const { sqrtPriceX96, blockAtMs: atMs } = fact.data
  const root = { over: sqrtPriceX96, under: q96 }
  if (fact.type === 'Swap') return { root, tick: fact.data.tick, liquidity: fact.data.liquidity, atMs, index }
  const tick = tickOf(root)
  return { root, tick: isNearTick(tick) ? null : Math.floor(tick), liquidity: 0n, atMs, index }
}

const tickOf = ({ over, under }: Fraction): number =>
  (2 * (Math.log2(Number(over)) - Math.log2(Number(under)))) / Math.log2(1.0001)

const changesIn = (past: Life) =>
  past.flatMap((fact) => (fact.type === 'LiquidityChanged' && fact.data.liquidityDelta !== 0n ? [fact.data] : []))

const liquidityAt = (past: Life, { liquidity, index }: Price, tick: number): bigint =>
  changesIn(past.slice(index))
    .filter(({ tickLower, tickUpper }) => tickLower <= tick && tick < tickUpper)
    .reduce((sum, { liquidityDelta }) => sum + liquidityDelta, liquidity)

const boundsIn = (past: Life): readonly number[] => [
  ...new Set(changesIn(past).flatMap(({ tickLower, tickUpper }) => [tickLower, tickUpper])),
]

/** What a swap took out of the pool. */
type Leaving = Readonly<{ amount: bigint; isCurrency0: boolean }>

const leavingOf = ({ ethWei, tokenRaw }: Swap, ethIsCurrency0: boolean): Leaving =>
  tokenRaw < 0n ? { amount: -ethWei, isCurrency0: ethIsCurrency0 } : { amount: tokenRaw, isCurrency0: !ethIsCurrency0 }

function rootBefore({ sqrtPriceX96, liquidity }: Swap, { amount, isCurrency0 }: Leaving): Fraction {
  const after = { over: sqrtPriceX96, under: q96 }
  const moved = { over: amount, under: liquidity }
  return isCurrency0 ? inverse(plus(inverse(after), moved)) : plus(after, moved)
}

type At = Readonly<{ liquidity: bigint; isCurrency0: boolean }>

/** `root`: before the swap. */
function agrees(root: Fraction, last: Fraction, { liquidity, isCurrency0 }: At): boolean {
  if (root.over === 0n) return true
  const unitOut = times(isCurrency0 ? root : inverse(root), { over: 1n, under: liquidity })
  const unitOfPrice = times(inverse(root), { over: 1n, under: q96 })
  const tolerance = plus({ over: 1n, under: 10n ** 14n }, times(whole(2n), plus(unitOut, unitOfPrice)))
  return isAtMost(distance(root, last), times(tolerance, last))
}

/** Returns true if no position begins or ends between the price tick and the root. */
function isUncrossed(bounds: readonly number[], tick: number, root: Fraction): boolean {
  const other = tickOf(root)
  return !bounds.some((bound) => (tick < bound && bound <= other + 1e-6) || (other - 1e-6 < bound && bound <= tick))
}
