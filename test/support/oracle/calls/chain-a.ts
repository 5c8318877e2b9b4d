/** The pools and the curve of a token of chain A, from its facts. */
import type { ChainAFact } from '../../../../schemas/chain-a/facts.ts'
import {
  addPrice,
  type Change,
  type Coined,
  coinAt,
  hourMs,
  type Line,
  lastOf,
  type Price,
  secondMs,
  standing,
} from './lines.ts'

type Data<Type extends ChainAFact['type']> = Extract<ChainAFact, { type: Type }>['data']
type PoolCreated = Data<'PoolCreated'>
type Added = Readonly<{ atMs: number; lower: number; upper: number; liquidity: number; delta: bigint }>

const poolLifeMs = 25.5 * hourMs
const curveLifeMs = 7 * 24 * hourMs
const tickLimit = 887_272

export function linesOfChainA(facts: readonly ChainAFact[]): readonly Line[] {
  const markets = new ChainAMarkets()
  for (const fact of facts) markets.take(fact)
  return markets.lines()
}

/** Takes facts of a token as they come. */
export class ChainAMarkets {
  readonly #pools = new Map<string, Pool>()
  #curve: Curve | null = null

  take(fact: ChainAFact): void {
    const { type, data } = fact
    if (type === 'PoolCreated' && !this.#pools.has(data.pool)) this.#pools.set(data.pool, poolOf(data))
    if ('pool' in data) {
      const pool = this.#pools.get(data.pool)
      if (pool !== undefined) follow(pool, fact)
    }
    if ((type === 'CurveLaunched' || type === 'CurveFound') && this.#curve === null) this.#curve = curveOf(fact)
    if ('curve' in data && data.curve === this.#curve?.opening.data.curve) takeCurve(this.#curve, fact)
  }

  lines(): readonly Line[] {
    const pools = [...this.#pools.values()]
    const curve = this.#curve
    const supplyRaw = curve && Number(curve.opening.data.supplyRaw)
    const lines = pools.map((pool) => lineOfPool(pool, supplyRaw))
    return curve === null ? lines : [lineOfCurve(curve, pools), ...lines]
  }
}

type Pool = {
  readonly created: PoolCreated
  readonly prices: (Price & Readonly<{ root: number }>)[]
  readonly adds: Added[]
  readonly changes: Change[]
  root: number | null
  open: Readonly<{ txHash: string; atMs: number; root: number | null; coin: number; wasEmpty: boolean }> | null
}

const poolOf = (created: PoolCreated): Pool => ({
  ...{ created, prices: [], adds: [], changes: [], root: null, open: null },
})

function lineOfPool(pool: Pool, supplyRaw: number | null): Line {
  const { created, prices, adds } = pool
  const { blockAtMs: openedAtMs, pool: market } = created
  const last = changeOf(pool)
  const changes = last === null ? pool.changes : [...pool.changes, last]
  return {
    ...{ market, source: 'pool', openedAtMs, supplyRaw, ends: null, livens: [], finds: [] },
    ...{ prices, changes, forgottenAtMs: () => openedAtMs + poolLifeMs },
    depthAt(atMs) {
      const held = adds.filter((add) => add.atMs <= Math.floor(atMs / secondMs) * secondMs)
      if (isNothing(held)) return null
      const root = standing(prices, atMs)?.root
      return root === undefined ? 0 : coinIn(held, root, created)
    },
  }
}

const isNothing = (adds: readonly Added[]): boolean => adds.reduce((sum, { delta }) => sum + delta, 0n) === 0n

function follow(pool: Pool, { type, data }: ChainAFact): void {
  if (!('txHash' in data)) return
  if (pool.open !== null && pool.open.txHash !== data.txHash) settle(pool)
  if ((type === 'PoolCreated' || type === 'PoolInitialized') && data.sqrtPriceX96 !== null)
    takePrice(pool, data.sqrtPriceX96, data.blockAtMs)
  if (type === 'Swap' && counts(pool, data)) takePrice(pool, data.sqrtPriceX96, data.blockAtMs)
  if (type === 'LiquidityChanged' && data.liquidityDelta !== 0n) takeChange(pool, data)
}

/** Swaps without ETH, at the ends of the price, and of the pool’s own hook do not count. */
const counts = ({ created: { hooks } }: Pool, { ethWei, tick, sender }: Data<'Swap'>): boolean =>
  ethWei !== 0n && tick > -tickLimit && tick < tickLimit - 1 && (hooks === null || sender !== hooks)

function takePrice(its: Pool, sqrtPriceX96: bigint, atMs: number): void {
  const root = Number(sqrtPriceX96) / 2 ** 96
  const square = root * root
  its.root = root
  addPrice(its.prices, { atMs, root, px: (its.created.ethIsCurrency0 ? 1 / square : square) / 1e18, fill: null })
}

function takeChange(its: Pool, change: Data<'LiquidityChanged'>): void {
  const { txHash, blockAtMs: atMs, tickLower: lower, tickUpper: upper, liquidityDelta: delta } = change
  const { root } = its
  const coin = root === null ? 0 : coinIn(its.adds, root, its.created)
  its.open ??= { txHash, atMs, root, coin, wasEmpty: isNothing(its.adds) }
  its.adds.push({ atMs, lower, upper, liquidity: Number(delta), delta })
}

/** The transaction is over. */
function settle(pool: Pool): void {
  const change = changeOf(pool)
  if (change !== null) pool.changes.push(change)
  pool.open = null
}

/** Before the first liquidity there was nothing to pull. */
function changeOf({ open, adds, created }: Pool): Change | null {
  if (open === null || open.wasEmpty) return null
  const after = open.root === null ? 0 : coinIn(adds, open.root, created)
  return { atMs: open.atMs, ratio: open.coin > 0 ? after / open.coin : 1, isEmptied: isNothing(adds) }
}

function coinIn(adds: readonly Added[], root: number, { ethIsCurrency0 }: PoolCreated): number {
  let coin = 0
  for (const { lower, upper, liquidity } of adds) {
    const [low, high] = [1.0001 ** (lower / 2), 1.0001 ** (upper / 2)]
    const inside = Math.min(Math.max(root, low), high)
    coin += liquidity * (ethIsCurrency0 ? 1 / inside - 1 / high : inside - low)
  }
  return coin / 1e18
}

type Opening = Extract<ChainAFact, { type: 'CurveLaunched' | 'CurveFound' }>
type Curve = {
  readonly opening: Opening
  readonly prices: Coined[]
  readonly livens: number[]
  readonly finds: number[]
  reserve: bigint
  graduated: Data<'CurveGraduated'> | null
}

/** A token has one curve, the first that is launched or found. */
const curveOf = (opening: Opening): Curve => ({
  ...{ opening, prices: [], livens: [], finds: [], reserve: 0n, graduated: null },
})

/** A find says what is in it, whatever came before. */
function takeCurve(curve: Curve, { type, data }: ChainAFact): void {
  const { phantomWei, supplyRaw, graduationWei } = curve.opening.data
  const { blockAtMs: atMs } = data as Opening['data']
  curve.livens.push(atMs)
  if (type === 'CurveGraduated') curve.graduated ??= data
  if (curve.graduated !== null || type === 'CurveCompleted') return
  if (type === 'CurveFound') {
    curve.reserve = data.reserveWei
    curve.finds.push(atMs)
  }
  if (type === 'CurveTraded') curve.reserve += data.ethWei - data.feeWei - data.taxWei
  const coin = Number(phantomWei + curve.reserve) / 1e18
  const px = (coin * coin) / (Number(phantomWei) / 1e18) / Number(supplyRaw)
  const fill = Math.min(1, Number(curve.reserve) / Number(graduationWei))
  addPrice(curve.prices, { atMs, px, fill, coin: Number(curve.reserve) / 1e18 })
}

function lineOfCurve({ opening, prices, livens, finds, graduated }: Curve, pools: readonly Pool[]): Line {
  const { curve: market, supplyRaw, blockAtMs } = opening.data
  const openedAtMs = opening.type === 'CurveFound' ? opening.data.launchAtMs : blockAtMs
  const ends = graduated && { atMs: graduated.blockAtMs, next: ownPoolOf(graduated, pools) }
  return {
    ...{ market, source: 'curve', openedAtMs, supplyRaw: Number(supplyRaw), prices, changes: [], ends },
    ...{ livens, finds, depthAt: coinAt(prices) },
    forgottenAtMs: (atMs) => (livens[lastOf(livens, atMs)] ?? atMs) + curveLifeMs,
  }
}

/** The pool that was created with the graduation; else the newest one of then. */
function ownPoolOf(graduated: Data<'CurveGraduated'>, pools: readonly Pool[]): string | null {
  const own = pools.find(({ created }) => created.txHash === graduated.txHash)
  return (own ?? pools.findLast(({ created }) => created.blockAtMs <= graduated.blockAtMs))?.created.pool ?? null
}
