/**
 * Computes the followed buys of a mint: the buys whose wallet might be copied. For each buy, it gives the
 * result of the copy, and what the price and the wallet did in the hour after the buy.
 */
import type { CopyRules } from './copy-rules.ts'
import { curveCost, curveTokensFor, feeOf, poolCost, poolTokensFor, proceeds } from './formulas.ts'
import { type Move, movesOf, type Trade } from './market.ts'
import type { MintStory } from './stories.ts'

type Buy = Move & Readonly<{ trade: Trade }>

type LeaderSale = Readonly<{ sec: number; share: number; gain: number }>
type Fill = Readonly<{ slot: number; tokens: bigint; paid: bigint; before: Move }>
type Reason = 'stop' | 'trail' | 'take_profit' | 'time'
type Exit = Readonly<{ ret: number; why: Reason; sec: number }>

/** The results of the hour after the buy. */
export type Hour = Readonly<{
  isHit: boolean
  path: readonly (readonly [sec: number, ret: number])[]
  sale: LeaderSale | null
  quoteDrift: number | null
  fillSlip: number | null
  /** The sale of the copied tokens. Null: the buy is not big, or it could not be copied. */
  exit: Exit | null
}>

export type FollowedBuy = Readonly<{ story: MintStory; buy: Buy; isBig: boolean; hour: Hour | null }>

const isTrade = (move: Move): move is Buy => move.trade !== null
const totalOf = (amounts: readonly bigint[]): bigint => amounts.reduce((one, other) => one + other, 0n)

/**
 * The results of hours that are over, by buy. These results never change, so each is computed only one time.
 */
export type KnownHours = Map<string, Hour>

type Knowing = Readonly<{
  /** The time of the newest known slot. An hour is over when this time is later than its end. */
  blockAtMs: number
  knownHours: KnownHours
}>

export function followedBuysOf(
  story: MintStory,
  { blockAtMs, knownHours }: Knowing,
  rules: CopyRules,
): readonly FollowedBuy[] {
  const moves = movesOf(story)
  const buys = moves.filter(isTrade).filter((move) => isFollowed(story, move, rules))
  const sales = salesOf(moves, buys, rules)
  return buys.map((buy) => {
    const isBig = buy.trade.quoteRaw >= rules.bigLeast
    if (blockAtMs <= buy.atMs + rules.hourMs) return { story, buy, isBig, hour: null }
    const name = `${buy.trade.txHash} ${buy.trade.logIndex}`
    const hour = knownHours.get(name) ?? hourAfter(buy, { story, moves, sale: sales.get(buy) ?? null, isBig }, rules)
    knownHours.set(name, hour)
    return { story, buy, isBig, hour }
  })
}

function isFollowed({ opening, completion }: MintStory, { atMs, trade }: Buy, rules: CopyRules): boolean {
  if (opening.data.quoteMint !== null || opening.data.isMayhem || trade.quoteRaw < rules.followedLeast) return false
  return completion === null || atMs - completion.atMs < rules.afterCompletionMs
}

type Holding = { heldRaw: bigint; open: readonly Buy[] }

/**
 * Returns the first sale after each buy by the same wallet. The tokens of a wallet are counted from its first
 * open buy on. A buy is open for one hour.
 */
function salesOf(moves: readonly Move[], buys: readonly Buy[], rules: CopyRules): ReadonlyMap<Buy, LeaderSale> {
  const sales = new Map<Buy, LeaderSale>()
  const followed = new Set<Move>(buys)
  const holdings = new Map<string, Holding>()
  for (const move of moves.filter(isTrade)) {
    const { trader, quoteRaw, tokenRaw } = move.trade
    const holding = stillOpen(holdings.get(trader), move, rules)
    holdings.set(trader, holding)
    if (followed.has(move)) {
      holding.open = [...holding.open, move]
      holding.heldRaw += tokenRaw
    } else if (quoteRaw < 0n && holding.open.length > 0) noteSale(sales, holding, move)
  }
  return sales
}

function stillOpen(holding: Holding | undefined, { atMs }: Move, { hourMs }: CopyRules): Holding {
  const open = (holding?.open ?? []).filter((buy) => atMs <= buy.atMs + hourMs)
  return { open, heldRaw: open.length === 0 ? 0n : (holding?.heldRaw ?? 0n) }
}

/**
 * Records a sale. If a wallet sells more tokens than it is known to hold, the sale counts as a sale of
 * everything.
 */
function noteSale(sales: Map<Buy, LeaderSale>, holding: Holding, sale: Buy): void {
  const soldRaw = -sale.trade.tokenRaw
  const share = Math.min(1, Number(soldRaw) / Number(holding.heldRaw))
  for (const buy of holding.open) if (!sales.has(buy)) sales.set(buy, saleOf(buy, sale, share))
  holding.heldRaw = soldRaw < holding.heldRaw ? holding.heldRaw - soldRaw : 0n
}

const saleOf = (buy: Buy, sale: Buy, share: number): LeaderSale => ({
  sec: (sale.atMs - buy.atMs) / 1000,
  share,
  gain: perToken(sale.trade) / perToken(buy.trade) - 1,
})

/** Returns the price of a token, including all fees. */
const perToken = ({ quoteRaw, tokenRaw, fees }: Trade): number => Number(quoteRaw + totalOf(fees)) / Number(tokenRaw)

type Around = Readonly<{ story: MintStory; moves: readonly Move[]; sale: LeaderSale | null; isBig: boolean }>

function hourAfter(buy: Buy, { story, moves, sale, isBig }: Around, rules: CopyRules): Hour {
  const later = moves.filter(({ order, atMs }) => order > buy.order && atMs <= buy.atMs + rules.hourMs)
  const path = rules.pathSec.map((sec) => {
    const last = later.findLast(({ atMs }) => atMs <= buy.atMs + sec * 1000) ?? buy
    return [sec, last.px / buy.px - 1] as const
  })
  const decided = later.find(({ px }) => px >= rules.hit * buy.px || px <= rules.miss * buy.px)
  const fill = fillOf(buy, { later, completion: story.completion }, rules)
  return {
    isHit: decided !== undefined && decided.px >= rules.hit * buy.px,
    path,
    sale,
    quoteDrift: fill && fill.before.px / buy.px - 1,
    fillSlip: fill && Number(fill.paid) / Number(fill.tokens) / perToken(buy.trade) - 1,
    exit: fill && isBig ? exitOf(buy, { later, fill }, rules) : null,
  }
}

/** Returns the rate of each fee of the trade, in basis points. */
const ratesOf = ({ quoteRaw, fees }: Trade): readonly bigint[] => fees.map((fee) => (fee * 10_000n) / quoteRaw)
const feesAt = (lamports: bigint, rates: readonly bigint[], { hasFees }: CopyRules): bigint =>
  hasFees ? totalOf(rates.map((rate) => feeOf(lamports, rate))) : 0n

/**
 * Returns the simulated purchase of the copy. Returns null if the curve is complete and the pool opens only
 * after the copy's time limit.
 */
function fillOf(
  buy: Buy,
  { later, completion }: Readonly<{ later: readonly Move[]; completion: MintStory['completion'] }>,
  rules: CopyRules,
): Fill | null {
  const standingAt = (slot: number) => later.findLast((move) => move.slot <= slot) ?? buy
  let slot = buy.slot + rules.fillAfterSlots
  if (!standingAt(slot).isInPool && completion !== null && completion.slot <= slot) {
    const migration = later.find(({ trade }) => trade === null)
    if (migration === undefined || migration.atMs > buy.atMs + rules.timeStopMs) return null
    slot = migration.slot
  }
  const before = standingAt(slot)
  const { reserves, leftRaw, isInPool } = before
  const wanted = isInPool ? poolTokensFor(reserves, rules.stakeLamports) : curveTokensFor(reserves, rules.stakeLamports)
  const isAll = !isInPool && wanted > leftRaw
  const tokens = isAll ? leftRaw : wanted
  const onCurve = isAll ? curveCost(reserves, tokens) : rules.stakeLamports
  const cost = isInPool ? poolCost(reserves, tokens) : onCurve
  return { slot, tokens, before, paid: cost + feesAt(cost, ratesOf(buy.trade), rules) }
}

type Held = Readonly<{ later: readonly Move[]; fill: Fill }>

function exitOf(buy: Buy, { later, fill }: Held, rules: CopyRules): Exit {
  const entry = fill.before.px
  let last = fill.before
  let high = entry
  const sell = (move: Move, why: Reason): Exit => ({
    ...{ ret: retOf(buy, { later, fill }, { move, rules }), why },
    sec: (why === 'time' ? rules.timeStopMs : move.atMs - buy.atMs) / 1000,
  })
  for (const move of later.filter(({ slot }) => slot > fill.slot)) {
    if (buy.atMs + rules.timeStopMs < move.atMs) break
    high = Math.max(high, move.px)
    if (move.px <= rules.stop * entry) return sell(move, 'stop')
    if (high >= rules.trailFrom * entry && move.px <= rules.trail * high) return sell(move, 'trail')
    if (move.px >= rules.takeProfit * entry) return sell(move, 'take_profit')
    last = move
  }
  return sell(last, 'time')
}

/** Returns the return of the copy if all tokens are sold at the reserves after `move`. */
function retOf(buy: Buy, { later, fill }: Held, { move, rules }: Readonly<{ move: Move; rules: CopyRules }>): number {
  const brought = proceeds(move.reserves, fill.tokens)
  const rates = ratesOf(ratesFrom(buy, later, { move, rules }))
  return Number(brought - feesAt(brought, rates, rules)) / Number(fill.paid) - 1
}

/**
 * Returns the trade whose fee rates apply. In general, this is the copied buy. If the buy was on the curve
 * and the sale is in the pool, it is the newest buy in the pool.
 */
function ratesFrom(
  buy: Buy,
  later: readonly Move[],
  { move, rules }: Readonly<{ move: Move; rules: CopyRules }>,
): Trade {
  if (buy.isInPool || !move.isInPool) return buy.trade
  const inPool = later
    .filter(isTrade)
    .findLast(({ isInPool, order, trade }) => isInPool && order <= move.order && trade.quoteRaw >= rules.followedLeast)
  return inPool?.trade ?? buy.trade
}
