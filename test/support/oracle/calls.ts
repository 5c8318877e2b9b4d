/**
 * Precalls and scores of one token of chain A, counted a second time, slowly: from the whole list of facts, by the sentences
 * of the rules. Pools of this list are younger than a day, and its curve is not idle.
 */
import type { ChainAFact } from '../../../schemas/chain-a/facts.ts'
import { ethInPosition, priceFromSqrt } from '../../../schemas/chain-a/pool-price.ts'

const minuteMs = 60_000
const hourMs = 60 * minuteMs

/** From the instant on, the market has this price and holds this much ETH; null: it is closed. */
type State = Readonly<{ atMs: number; market: string; px: number | null; depth: number }>
type Buy = Readonly<{ atMs: number; block: number; ethWei: bigint; txHash: string; trader: string | null }>

export type Recounted = Readonly<{ states: readonly State[]; buys: readonly Buy[]; bornAtMs: number }>

type Data<Type extends ChainAFact['type']> = Extract<ChainAFact, { type: Type }>['data']
type Curve = { curve: string; phantom: number; supply: number; reserve: number }

type Told = {
  readonly states: State[]
  readonly buys: Buy[]
  readonly created: Map<string, Data<'PoolCreated'>>
  readonly roots: Map<string, bigint>
  readonly adds: Data<'LiquidityChanged'>[]
  curve: Curve | null
}

export function recount(facts: readonly ChainAFact[]): Recounted {
  const told: Told = { states: [], buys: [], created: new Map(), roots: new Map(), adds: [], curve: null }
  for (const fact of facts) {
    if ('pool' in fact.data) takePool(told, fact)
    else takeCurve(told, fact)
    takeBuy(told, fact)
  }
  return { ...told, bornAtMs: facts[0]?.data.blockAtMs ?? 0 }
}

function takePool({ states, created, roots, adds }: Told, { type, data }: ChainAFact): void {
  if (type === 'PoolCreated') created.set(data.pool, data)
  if (type === 'PoolCreated' && data.sqrtPriceX96 !== null) roots.set(data.pool, data.sqrtPriceX96)
  if (type === 'LiquidityChanged') adds.push(data)
  if (type === 'Swap' && data.ethWei !== 0n) roots.set(data.pool, data.sqrtPriceX96)
  if (!('pool' in data)) return
  const { pool: market, blockAtMs: atMs } = data
  const [isEth0, root] = [created.get(market)?.ethIsCurrency0, roots.get(market)]
  if (isEth0 === undefined || root === undefined) return
  let depth = 0
  for (const add of adds)
    if (add.pool === market) depth += ethInPosition({ ...add, liquidity: add.liquidityDelta }, root, isEth0)
  states.push({ atMs, market, px: priceFromSqrt(root, isEth0), depth })
}

function takeCurve(told: Told, { type, data }: ChainAFact): void {
  const { blockAtMs: atMs } = data
  if (type === 'CurveLaunched')
    told.curve = { curve: data.curve, phantom: Number(data.phantomWei), supply: Number(data.supplyRaw), reserve: 0 }
  const { curve, states } = told
  if (curve === null) return
  if (type === 'CurveGraduated') states.push({ atMs, market: curve.curve, px: null, depth: 0 })
  if (type === 'CurveTraded') curve.reserve += Number(data.ethWei - data.feeWei - data.taxWei)
  if (type !== 'CurveLaunched' && type !== 'CurveTraded') return
  const x = (curve.phantom + curve.reserve) / 1e18
  const px = (x * x) / (curve.phantom / 1e18) / curve.supply
  states.push({ atMs, market: curve.curve, px, depth: curve.reserve / 1e18 })
}

function takeBuy({ buys }: Told, { type, data }: ChainAFact): void {
  if ((type !== 'Swap' && type !== 'CurveTraded') || data.ethWei <= 0n) return
  const { blockAtMs: atMs, blockNumber: block, ethWei, txHash } = data
  buys.push({ atMs, block, ethWei, txHash, trader: 'trader' in data ? data.trader : null })
}

const statesAt = ({ states }: Recounted, atMs: number): readonly State[] => {
  const newest = new Map<string, State>()
  for (const state of states) if (state.atMs <= atMs) newest.set(state.market, state)
  return [...newest.values()]
}

/** The deepest market that is open at the instant, first by address. */
const deepest = (told: Recounted, atMs: number): State | undefined =>
  statesAt(told, atMs)
    .filter(({ px }) => px !== null)
    .sort((left, right) => right.depth - left.depth || (left.market < right.market ? -1 : 1))[0]

/** A closed curve goes on in the market that was the deepest when it was closed. */
function pxOn(told: Recounted, market: string, atMs: number): number | null {
  const state = statesAt(told, atMs).find((each) => each.market === market)
  if (state === undefined) return null
  if (state.px !== null) return state.px
  const next = deepest(told, Math.ceil(state.atMs / 1000) * 1000)
  return next ? pxOn(told, next.market, atMs) : null
}

const firstAfter = ({ states }: Recounted, afterMs: number, untilMs: number): number | null => {
  const instants = states.filter(({ px }) => px !== null).map(({ atMs }) => Math.ceil(atMs / 1000) * 1000)
  const fitting = instants.filter((atMs) => atMs > afterMs && atMs <= untilMs)
  return fitting.length === 0 ? null : Math.min(...fitting)
}

export function recountScore(told: Recounted, postedAtMs: number) {
  const readAtMs = postedAtMs + 3000
  const read = { ruggedAtMs: null, isAsked: false }
  const nothing = {
    ...read,
    market: null,
    anchorAtMs: null,
    anchorPx: null,
    ret1: null,
    ret5: null,
    ret15: null,
    ret60: null,
  }
  const unscored = (reason: string) => ({ unscored: reason, ...nothing, mfe: null, mae: null, isWin35: null })
  let anchorAtMs = readAtMs
  if (!deepest(told, readAtMs)) {
    const first = firstAfter(told, readAtMs, readAtMs + hourMs)
    if (first === null) return unscored('no_price')
    if (first > postedAtMs + 2 * minuteMs) return unscored('late_anchor')
    anchorAtMs = first
  }
  const anchor = deepest(told, anchorAtMs)
  if (!anchor || anchor.px === null) return unscored('no_price')
  const anchorPx = anchor.px
  const retAfter = (minutes: number) => (pxOn(told, anchor.market, anchorAtMs + minutes * minuteMs) ?? 0) / anchorPx - 1
  if (pxOn(told, anchor.market, anchorAtMs + hourMs) === null) return unscored('no_price')
  let [high, low, isWin35] = [anchorPx, anchorPx, null as boolean | null]
  for (let sec = 1; sec <= 3600; sec++) {
    const px = pxOn(told, anchor.market, anchorAtMs + sec * 1000) ?? anchorPx
    high = Math.max(high, px)
    low = Math.min(low, px)
    if (px <= 0.8 * anchorPx) isWin35 ??= false
    if (px >= 1.35 * anchorPx) isWin35 ??= true
  }
  return {
    ...{ ...read, unscored: null, market: anchor.market, anchorAtMs, anchorPx },
    ...{ ret1: retAfter(1), ret5: retAfter(5), ret15: retAfter(15), ret60: retAfter(60) },
    ...{ mfe: high / anchorPx - 1, mae: low / anchorPx - 1, isWin35: isWin35 ?? false },
  }
}

/** Null: the token was not tracked. */
export function recountPrecall(told: Recounted, postedAtMs: number) {
  const at = deepest(told, postedAtMs)
  if (!at || at.px === null) return null
  const fromMs = postedAtMs - hourMs
  const sinceMs = deepest(told, fromMs) ? fromMs : firstAfter(told, fromMs, postedAtMs)
  const before = sinceMs === null ? undefined : deepest(told, sinceMs)
  const run60 = before?.px ? at.px / before.px : null
  const buys = told.buys.filter(({ atMs }) => atMs > postedAtMs - 10 * minuteMs && atMs <= postedAtMs)
  const ageAtCallMs = postedAtMs - told.bornAtMs
  const flags = [...(run60 !== null && run60 >= 3 ? ['run'] : []), ...(ageAtCallMs < 30 * minuteMs ? ['young'] : [])]
  return {
    ...{ postedAtMs, isTracked: true, market: at.market, buys: buys.length },
    buyWei: buys.reduce((total, { ethWei }) => total + ethWei, 0n),
    sameBlockMaxTx: mostPerBlock(buys, ({ txHash }) => txHash),
    ...{ run60, ageAtCallMs, chg1h0: null, flags },
  }
}

export function recountBuyers(told: Recounted, postedAtMs: number, senderOf: (txHash: string) => string) {
  const buys = told.buys.filter(({ atMs }) => atMs > postedAtMs - 10 * minuteMs && atMs <= postedAtMs)
  const walletOf = ({ trader, txHash }: Buy) => trader ?? senderOf(txHash)
  const wallets = [...new Set(buys.map(walletOf))]
  const sameBlockWallets = mostPerBlock(buys, walletOf)
  return { wallets: wallets.length, sameBlockWallets, walletList: wallets.slice(0, 40) }
}

function mostPerBlock(buys: readonly Buy[], nameOf: (buy: Buy) => string): number {
  const blocks = new Set(buys.map(({ block }) => block))
  return Math.max(0, ...[...blocks].map((one) => new Set(buys.filter(({ block }) => block === one).map(nameOf)).size))
}
