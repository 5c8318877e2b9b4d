/** The copies of one mint counted again, buy by buy over all facts of its hour, as the rules in words say it. */
import type { CopyRules, ShadowRules } from '../../../../schemas/chain-b/copy-rules.ts'
import type { CopyClosed } from '../../../../schemas/chain-b/derived.ts'
import type { ChainBFact, CurveTraded, PoolTraded } from '../../../../schemas/chain-b/facts.ts'

/** The hour of a buy must be over before its mint is forgotten. */
type Numbers = Readonly<{ shadow: ShadowRules; copy: CopyRules; mints: Readonly<{ graduatedLifeMs: number }> }>

/** The numbers of the rules in words, written once more. */
const written: Numbers = {
  mints: { graduatedLifeMs: 65 * 60_000 },
  shadow: {
    ...{ lamportsMin: 200_000_000, bigLamportsMin: 1_000_000_000, windowMs: 3_600_000, hitRatio: 1.35, missRatio: 0.8 },
    pathSec: [10, 30, 60, 120, 180, 300, 600, 900, 1200, 1800, 2700, 3600],
  },
  copy: {
    ...{ stakeLamports: 250_000_000, stopRatio: 0.8, trailFromRatio: 1.35, trailRatio: 0.8, takeProfitRatio: 2 },
    timeStopMs: 1_800_000,
  },
}

/** What counts of a fact: the reserves after it, and the trade if it is one. */
type Step = Readonly<{
  index: number
  slot: number
  atMs: number
  quote: bigint
  token: bigint
  left: bigint
  isPool: boolean
  isTradable: boolean
  trade: CurveTraded | PoolTraded | null
}>

type Terms = { completedAtMs: number | null; isMigrated: boolean }

const floor = Math.floor
const bpsOf = (trade: CurveTraded | PoolTraded): bigint[] =>
  ['lpFeeRaw' in trade ? trade.lpFeeRaw : 0n, trade.feeRaw, trade.creatorFeeRaw, trade.rewardsRaw].map(
    (fee) => (fee * 10_000n) / trade.quoteRaw,
  )
const withFees = (trade: CurveTraded | PoolTraded): bigint =>
  trade.quoteRaw + trade.feeRaw + trade.creatorFeeRaw + trade.rewardsRaw + ('lpFeeRaw' in trade ? trade.lpFeeRaw : 0n)
const feesOn = (amount: bigint, bps: readonly bigint[]): bigint =>
  bps.reduce((sum, each) => sum + (amount * each + 9999n) / 10_000n, 0n)
const pxOf = ({ quote, token }: Step): number => Number(quote) / 1e9 / (Number(token) / 1e6)

/** A mint from its launch on, without finds. */
function stepsOf(facts: readonly ChainBFact[]): { steps: Step[]; terms: Terms } {
  const steps: Step[] = []
  const terms: Terms = { completedAtMs: null, isMigrated: false }
  for (const [index, fact] of facts.entries()) {
    const isLate = !('lateAtMs' in fact.data) || fact.data.lateAtMs !== null
    const step = isLate ? null : stepOf(fact, index, { terms, last: steps.at(-1) })
    if (step !== null) steps.push(step)
  }
  return { steps, terms }
}

type Before = Readonly<{ terms: Terms; last: Step | undefined }>

function stepOf({ type, data }: ChainBFact, index: number, { terms, last }: Before): Step | null {
  const place = { index, slot: data.blockNumber, atMs: data.blockAtMs }
  if (type === 'CurveTraded' && terms.completedAtMs === null) {
    const { virtualQuoteRaw: quote, virtualTokenRaw: token, realTokenRaw: left } = data
    if (left === 0n) terms.completedAtMs = data.blockAtMs
    return { ...place, quote, token, left, isPool: false, isTradable: left > 0n, trade: data }
  }
  if (type === 'CurveCompleted' || type === 'CurveMigrated') terms.completedAtMs ??= data.blockAtMs
  if (type === 'CurveCompleted')
    return last && !last.isPool ? { ...last, ...place, isTradable: false, trade: null } : null
  const isOpening = type === 'CurveMigrated' && !terms.isMigrated
  if (!isOpening && !(type === 'PoolTraded' && terms.isMigrated && !data.isBeforeMigration)) return null
  terms.isMigrated = true
  const { poolQuoteRaw: quote, poolTokenRaw: token } = data
  const trade = type === 'PoolTraded' ? data : null
  return { ...place, quote, token, left: 0n, isPool: true, isTradable: true, trade }
}

/** Of all followed buys, in their order. */
export function recount(facts: readonly ChainBFact[], numbers: Numbers = written): CopyClosed[] {
  const { steps, terms } = stepsOf(facts)
  const followed = steps.filter(({ trade, isPool, atMs }) => {
    const afterMs = isPool && terms.completedAtMs !== null ? atMs - terms.completedAtMs : 0
    return (
      trade !== null &&
      trade.quoteRaw >= numbers.shadow.lamportsMin &&
      afterMs < numbers.mints.graduatedLifeMs - numbers.shadow.windowMs
    )
  })
  return followed.flatMap((buy) => (buy.trade ? [closedOf(buy, buy.trade, { all: steps, followed, numbers })] : []))
}

type Mint = Readonly<{ all: readonly Step[]; followed: readonly Step[]; numbers: Numbers }>

function closedOf(buy: Step, trade: CurveTraded | PoolTraded, mint: Mint): CopyClosed {
  const { all, numbers } = mint
  const { windowMs, hitRatio, missRatio, pathSec: marks } = numbers.shadow
  const hour = all.filter(({ index, atMs }) => index > buy.index && atMs <= buy.atMs + windowMs)
  const px = pxOf(buy)
  const first = hour.find((step) => pxOf(step) >= hitRatio * px || pxOf(step) <= missRatio * px)
  const { atMs, trade: _, ...rest } = buy
  const lastBy = (dueMs: number): Step => hour.filter((step) => step.atMs <= dueMs).at(-1) ?? buy
  return {
    ...{ atMs, txHash: trade.txHash, logIndex: trade.logIndex, wallet: trade.trader },
    isHit: first !== undefined && pxOf(first) >= hitRatio * px,
    path: marks.map((sec) => pxOf(lastBy(atMs + sec * 1000)) / px - 1),
    leaderSale: saleOf(buy, trade, mint),
    ...copyOf({ ...rest, atMs, trade }, hour, numbers),
  }
}

function saleOf(buy: Step, trade: CurveTraded | PoolTraded, mint: Mint): CopyClosed['leaderSale'] {
  const isOwn = ({ trade: its }: Step) => its?.trader === trade.trader
  const sale = mint.all.find(
    (step) =>
      isOwn(step) &&
      step.index > buy.index &&
      (step.trade?.quoteRaw ?? 0n) < 0n &&
      step.atMs <= buy.atMs + mint.numbers.shadow.windowMs,
  )
  if (!sale?.trade) return null
  const earned = -Number(withFees(sale.trade)) / -Number(sale.trade.tokenRaw)
  const share = -Number(sale.trade.tokenRaw) / heldBefore(sale, trade.trader, mint)
  const gain = earned / (Number(withFees(trade)) / Number(trade.tokenRaw)) - 1
  return { afterSec: floor((sale.atMs - buy.atMs) / 1000), share: Math.min(1, share), gain }
}

/** All its trades anew: what it holds is forgotten whenever the hours of all its buys are over. */
function heldBefore(sale: Step, wallet: string, { all, followed, numbers }: Mint): number {
  let held = 0
  let openUntilMs = -1
  for (const step of all) {
    if (step.index >= sale.index) return held
    if (step.trade?.trader !== wallet) continue
    if (step.atMs > openUntilMs) held = 0
    if (followed.includes(step)) {
      held += Number(step.trade.tokenRaw)
      openUntilMs = step.atMs + numbers.shadow.windowMs
    } else if (step.trade.quoteRaw < 0n) held = Math.max(0, held + Number(step.trade.tokenRaw))
  }
  return held
}

type Copied = Pick<CopyClosed, 'quoteDrift' | 'fillSlip' | 'ret' | 'exit' | 'exitSec'>
const notCopied: Copied = { quoteDrift: null, fillSlip: null, ret: null, exit: null, exitSec: null }

function copyOf(
  buy: Step & { trade: CurveTraded | PoolTraded },
  hour: readonly Step[],
  { shadow, copy }: Numbers,
): Copied {
  const half = [buy, ...hour.filter(({ atMs }) => atMs <= buy.atMs + copy.timeStopMs)]
  const entry = entryOf(buy.slot + 1, half)
  if (entry === null) return notCopied
  const { cost, tokens } = bought(entry, BigInt(copy.stakeLamports))
  const bps = bpsOf(buy.trade)
  const paid = Number(cost + feesOn(cost, bps))
  const fill = {
    quoteDrift: pxOf(entry) / pxOf(buy) - 1,
    fillSlip: paid / Number(tokens) / (Number(withFees(buy.trade)) / Number(buy.trade.tokenRaw)) - 1,
  }
  if (buy.trade.quoteRaw < shadow.bigLamportsMin) return { ...notCopied, ...fill }
  // That the curve is complete moves no price.
  const moves = half.filter(({ trade, isTradable }) => trade !== null || isTradable)
  const after = moves.filter(({ index, slot }) => index > entry.index && slot > Math.max(entry.slot, buy.slot + 1))
  const left = exitOf(pxOf(entry), after, copy)
  const last = left?.step ?? half.at(-1) ?? entry
  const poolBuys = half.filter(
    ({ isPool, index, trade }) => isPool && index <= last.index && (trade?.quoteRaw ?? 0n) >= shadow.lamportsMin,
  )
  const told = poolBuys.at(-1)?.trade
  const rates = last.isPool && !buy.isPool && told ? bpsOf(told) : bps
  const proceeds = (last.quote * tokens) / (last.token + tokens)
  const ret = Number(proceeds - feesOn(proceeds, rates)) / paid - 1
  const exitSec = left ? floor((last.atMs - buy.atMs) / 1000) : copy.timeStopMs / 1000
  return { ...fill, ret, exit: left?.why ?? 'time', exitSec }
}

/** The state at the end of the first slot from this one on that can be traded. */
function entryOf(slot: number, half: readonly Step[]): Step | null {
  const before = half.filter((step) => step.slot <= slot).at(-1)
  if (before?.isTradable) return before
  const opened = half.find((step) => step.slot > slot && step.isTradable)
  return opened ? (half.filter((step) => step.slot === opened.slot).at(-1) ?? null) : null
}

function bought({ quote, token, left, isPool }: Step, stake: bigint): Readonly<{ cost: bigint; tokens: bigint }> {
  if (isPool) {
    const tokens = (stake * token) / (quote + stake)
    return { tokens, cost: (quote * tokens + (token - tokens) - 1n) / (token - tokens) }
  }
  const tokens = ((stake - 1n) * token) / (quote + stake - 1n)
  return tokens <= left ? { tokens, cost: stake } : { tokens: left, cost: (quote * left) / (token - left) + 1n }
}

function exitOf(
  entryPx: number,
  after: readonly Step[],
  { stopRatio, trailFromRatio, trailRatio, takeProfitRatio }: CopyRules,
): Readonly<{ step: Step; why: 'stop' | 'trail' | 'take_profit' }> | null {
  let highPx = entryPx
  for (const step of after) {
    const px = pxOf(step)
    highPx = Math.max(highPx, px)
    if (px <= stopRatio * entryPx) return { step, why: 'stop' }
    if (highPx >= trailFromRatio * entryPx && px <= trailRatio * highPx) return { step, why: 'trail' }
    if (px >= takeProfitRatio * entryPx) return { step, why: 'take_profit' }
  }
  return null
}
