/** Computes the prices of the pools and the curve of a chain A token from its facts. */
import type { ChainAFact } from '../../../../schemas/chain-a/facts.ts'
import { FollowedPool, type PoolPrice } from '../followed-pool.ts'
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

const poolLifeMs = 25.5 * hourMs
const curveLifeMs = 7 * 24 * hourMs

export function linesOfChainA(facts: readonly ChainAFact[]): readonly Line[] {
  const markets = new ChainAMarkets()
  for (const fact of facts) markets.take(fact)
  return markets.lines()
}

/** Collects the pools and the curve of a token from its facts. */
export class ChainAMarkets {
  readonly #pools = new Map<string, Pool>()
  #curve: Curve | null = null

  take(fact: ChainAFact): void {
    const { type, data } = fact
    if (type === 'PoolCreated' && !this.#pools.has(data.pool)) this.#pools.set(data.pool, poolOf(data))
    if ('pool' in data) this.#pools.get(data.pool)?.followed.take(fact)
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

type Pool = Readonly<{
  created: PoolCreated
  followed: FollowedPool
  prices: readonly (Price & PoolPrice)[]
  changes: readonly Change[]
}>

function poolOf(created: PoolCreated): Pool {
  const [prices, changes]: [(Price & PoolPrice)[], Change[]] = [[], []]
  const followed = new FollowedPool(created, {
    priced: (price) => addPrice(prices, { ...price, fill: null }),
    pulled: (pull) => void changes.push(pull),
  })
  return { created, followed, prices, changes }
}

function lineOfPool({ followed, prices, ...its }: Pool, supplyRaw: number | null): Line {
  const { createdAtMs: openedAtMs, id: market } = followed.pool
  const last = followed.pending()
  return {
    ...{ market, source: 'pool', openedAtMs, supplyRaw, ends: null, livens: [], finds: [] },
    ...{ prices, changes: last === null ? its.changes : [...its.changes, last] },
    forgottenAtMs: () => openedAtMs + poolLifeMs,
    depthAt(atMs) {
      const untilMs = Math.floor(atMs / secondMs) * secondMs
      return followed.isEmptiedAt(untilMs) ? null : followed.ethAt(standing(prices, atMs)?.sqrtPrice ?? 0, untilMs)
    },
  }
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

/**
 * Creates the curve of a token from its first `CurveLaunched` or `CurveFound` fact. Later facts do not create
 * another curve.
 */
const curveOf = (opening: Opening): Curve => ({
  ...{ opening, prices: [], livens: [], finds: [], reserve: 0n, graduated: null },
})

/**
 * Adds a fact to the curve. A `CurveFound` fact replaces the reserve that earlier facts gave. A
 * `CurveLaunched` fact after the first price is ignored.
 */
function takeCurve(curve: Curve, { type, data }: ChainAFact): void {
  const { phantomWei, supplyRaw, graduationWei } = curve.opening.data
  const { blockAtMs: atMs } = data as Opening['data']
  curve.livens.push(atMs)
  if (type === 'CurveGraduated') curve.graduated ??= data
  if (curve.graduated !== null || type === 'CurveCompleted') return
  if (type === 'CurveLaunched' && curve.prices.length > 0) return
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

/**
 * Returns the pool that was created in the transaction of the graduation. If there is none, returns the
 * newest pool at that time.
 */
function ownPoolOf(graduated: Data<'CurveGraduated'>, pools: readonly Pool[]): string | null {
  const own = pools.find(({ created }) => created.txHash === graduated.txHash)
  return (own ?? pools.findLast(({ created }) => created.blockAtMs <= graduated.blockAtMs))?.created.pool ?? null
}
