/** The pools and the curve of a token of chain A, from its facts. */
import type { ChainAFact } from '../../../../schemas/chain-a/facts.ts'
import { type Change, hourMs, type Line, type Price, secondMs } from './lines.ts'

type Data<Type extends ChainAFact['type']> = Extract<ChainAFact, { type: Type }>['data']
type PoolCreated = Data<'PoolCreated'>
type Added = Readonly<{ atMs: number; lower: number; upper: number; liquidity: number; delta: bigint }>

const poolLifeMs = 25.5 * hourMs
const curveLifeMs = 7 * 24 * hourMs
const tickLimit = 887_272

export function linesOfChainA(facts: readonly ChainAFact[]): readonly Line[] {
  const pools = facts.flatMap((fact) => (fact.type === 'PoolCreated' ? [fact.data] : []))
  const ids = new Set(pools.map(({ pool }) => pool))
  const first = [...ids].map((id) => pools.find(({ pool }) => pool === id) as PoolCreated)
  const curve = curveOf(facts)
  return [...(curve ? [curve] : []), ...first.map((created) => poolOf(created, facts))]
}

type Following = {
  readonly created: PoolCreated
  readonly prices: (Price & Readonly<{ root: number }>)[]
  readonly adds: Added[]
  readonly changes: Change[]
  root: number | null
  open: Readonly<{ txHash: string; atMs: number; root: number | null; coin: number; wasEmpty: boolean }> | null
}

function poolOf(created: PoolCreated, facts: readonly ChainAFact[]): Line {
  const its: Following = { created, prices: [], adds: [], changes: [], root: null, open: null }
  for (const fact of facts) follow(its, fact)
  settle(its)
  const { blockAtMs: openedAtMs, pool: market } = created
  const held = (atMs: number) => its.adds.filter((add) => add.atMs <= Math.floor(atMs / secondMs) * secondMs)
  return {
    ...{ market, source: 'pool', openedAtMs, supplyRaw: supplyOf(facts), ends: null, livens: [], finds: [] },
    ...{ prices: its.prices, changes: its.changes, forgottenAtMs: () => openedAtMs + poolLifeMs },
    depthAt(atMs) {
      const adds = held(atMs)
      if (isNothing(adds)) return null
      const root = its.prices.findLast((price) => price.atMs <= Math.floor(atMs / secondMs) * secondMs)?.root
      return root === undefined ? 0 : coinIn(adds, root, created)
    },
  }
}

const isNothing = (adds: readonly Added[]): boolean => adds.reduce((sum, { delta }) => sum + delta, 0n) === 0n

function follow(its: Following, { type, data }: ChainAFact): void {
  if (!('pool' in data) || data.pool !== its.created.pool || !('txHash' in data)) return
  if (its.open !== null && its.open.txHash !== data.txHash) settle(its)
  if ((type === 'PoolCreated' || type === 'PoolInitialized') && data.sqrtPriceX96 !== null)
    takePrice(its, data.sqrtPriceX96, data.blockAtMs)
  if (type === 'Swap' && counts(its, data)) takePrice(its, data.sqrtPriceX96, data.blockAtMs)
  if (type === 'LiquidityChanged' && data.liquidityDelta !== 0n) takeChange(its, data)
}

/** Swaps without ETH, at the ends of the price, and of the pool’s own hook do not count. */
const counts = ({ created: { hooks } }: Following, { ethWei, tick, sender }: Data<'Swap'>): boolean =>
  ethWei !== 0n && tick > -tickLimit && tick < tickLimit - 1 && (hooks === null || sender !== hooks)

function takePrice(its: Following, sqrtPriceX96: bigint, atMs: number): void {
  const root = Number(sqrtPriceX96) / 2 ** 96
  const square = root * root
  its.root = root
  its.prices.push({ atMs, root, px: (its.created.ethIsCurrency0 ? 1 / square : square) / 1e18, fill: null })
}

function takeChange(its: Following, change: Data<'LiquidityChanged'>): void {
  const { txHash, blockAtMs: atMs, tickLower: lower, tickUpper: upper, liquidityDelta: delta } = change
  const { root } = its
  const coin = root === null ? 0 : coinIn(its.adds, root, its.created)
  its.open ??= { txHash, atMs, root, coin, wasEmpty: isNothing(its.adds) }
  its.adds.push({ atMs, lower, upper, liquidity: Number(delta), delta })
}

/** The transaction is over. Before the first liquidity there was nothing to pull. */
function settle(its: Following): void {
  const { open, adds } = its
  its.open = null
  if (open === null) return
  if (open.wasEmpty) return
  const after = open.root === null ? 0 : coinIn(adds, open.root, its.created)
  const isEmptied = isNothing(adds)
  its.changes.push({ atMs: open.atMs, ratio: open.coin > 0 ? after / open.coin : 1, isEmptied })
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

const supplyOf = (facts: readonly ChainAFact[]): number | null => {
  const launch = facts.find(({ type }) => type === 'CurveLaunched' || type === 'CurveFound')
  return launch && 'supplyRaw' in launch.data ? Number(launch.data.supplyRaw) : null
}

/** A token has one curve, the first that is launched or found. A find says what is in it, whatever came before. */
function curveOf(facts: readonly ChainAFact[]): Line | null {
  const opening = facts.find(({ type }) => type === 'CurveLaunched' || type === 'CurveFound')
  if (opening?.type !== 'CurveLaunched' && opening?.type !== 'CurveFound') return null
  const { curve, supplyRaw, blockAtMs } = opening.data
  const openedAtMs = opening.type === 'CurveFound' ? opening.data.launchAtMs : blockAtMs
  const its = facts.filter(({ data }) => 'curve' in data && data.curve === curve)
  const graduated = its.find(({ type }) => type === 'CurveGraduated')?.data as Data<'CurveGraduated'> | undefined
  const ends = graduated ? { atMs: graduated.blockAtMs, next: ownPoolOf(graduated, facts) } : null
  const prices = curvePrices(its, opening.data)
  const livens = its.map(({ data }) => data.blockAtMs)
  const finds = its.flatMap(({ type, data }) => (type === 'CurveFound' ? [data.blockAtMs] : []))
  return {
    ...{ market: curve, source: 'curve', openedAtMs, supplyRaw: Number(supplyRaw), prices, changes: [], ends },
    ...{ livens, finds },
    depthAt: (atMs) => prices.findLast((each) => each.atMs <= Math.floor(atMs / secondMs) * secondMs)?.coin ?? 0,
    forgottenAtMs: (atMs) => (livens.findLast((each) => each <= atMs) ?? atMs) + curveLifeMs,
  }
}

type Terms = Pick<Data<'CurveLaunched'>, 'phantomWei' | 'supplyRaw' | 'graduationWei'>

function curvePrices(facts: readonly ChainAFact[], { phantomWei, supplyRaw, graduationWei }: Terms) {
  const prices: (Price & Readonly<{ coin: number }>)[] = []
  let reserve = 0n
  for (const { type, data } of facts) {
    if (type === 'CurveGraduated') break
    if (type === 'CurveFound') reserve = data.reserveWei
    if (type === 'CurveTraded') reserve += data.ethWei - data.feeWei - data.taxWei
    if (type === 'CurveCompleted') continue
    const coin = Number(phantomWei + reserve) / 1e18
    const px = (coin * coin) / (Number(phantomWei) / 1e18) / Number(supplyRaw)
    const fill = Math.min(1, Number(reserve) / Number(graduationWei))
    prices.push({ atMs: data.blockAtMs, px, fill, coin: Number(reserve) / 1e18 })
  }
  return prices
}

/** The pool that was created with the graduation; else the newest one of then. */
function ownPoolOf(graduated: Data<'CurveGraduated'>, facts: readonly ChainAFact[]): string | null {
  const pools = facts.flatMap(({ type, data }) => (type === 'PoolCreated' ? [data] : []))
  const own = pools.find(({ txHash }) => txHash === graduated.txHash)
  return own?.pool ?? pools.findLast(({ blockAtMs }) => blockAtMs <= graduated.blockAtMs)?.pool ?? null
}
