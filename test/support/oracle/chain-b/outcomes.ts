/** Outcomes by brute force: each exit rule walks over all trades anew, and asks at each of them what has been until then. */
import { isStandardCurve } from '../../../../schemas/chain-b/curve.ts'
import type { BurstOutcome } from '../../../../schemas/chain-b/derived.ts'
import type { OracleBurst } from './bursts.ts'
import { type Life, type Traded, tradesOf } from './lives.ts'
import type { OracleExitRule, OracleRules } from './oracle-rules.ts'

type Point = Readonly<{ atMs: number; px: number; lamports: bigint }>
type Reason = BurstOutcome['exits'][number]['why']
type Exit = Readonly<{ px: number; atMs: number; why: Reason }>

/** What came after the signal. The first point is the signal itself. */
type Path = Readonly<{ points: readonly Point[]; signalMs: number; endMs: number; completedAtMs: number | null }>

/** Null if it is not scored by then. */
export function outcomeOf(life: Life, { burst, signalTrades }: OracleBurst, rules: OracleRules): BurstOutcome | null {
  const signalMs = burst.atMs
  const endMs = signalMs + rules.outcomeMs
  const completed =
    rules.completionEnds && life.completed !== null && life.completed.atMs <= endMs ? life.completed : null
  if (completed === null && endMs >= life.untilMs) return null
  const trades = tradesOf(life).filter(({ blockNumber, blockAtMs }) => blockNumber > burst.slot && blockAtMs <= endMs)
  const last = signalTrades.at(-1) as Traded
  const seen = rules.oneOddTradeIsEnough ? [...signalTrades, ...trades] : signalTrades
  const isOdd = seen.some((trade) => !isStandardCurve(trade))
  const priceOf = (trade: Traded) => price(trade, isOdd ? 'quotient' : rules.price)
  const pointOf = (trade: Traded): Point => ({
    atMs: trade.blockAtMs,
    px: priceOf(trade),
    lamports: trade.quoteRaw,
  })
  const points = [{ atMs: signalMs, px: priceOf(last), lamports: 0n }, ...trades.map(pointOf)]
  const path = { points, signalMs, endMs, completedAtMs: completed?.atMs ?? null }
  const signalPx = priceOf(last)
  const returnAt = (px: number) => px / signalPx - 1 - rules.costs
  const lastRet = returnAt((points.at(-1) as Point).px)
  const exits = rules.exitRules.map((rule) => exitOf(rule, path, rules))
  return {
    atMs: signalMs,
    completedAtMs: path.completedAtMs,
    peakRet: returnAt(Math.max(...points.map(({ px }) => px))),
    gradRet: completed === null ? null : lastRet,
    ret20m: completed === null ? lastRet : null,
    ruleRet: returnAt((exits[0] as Exit).px),
    isNonStandardCurve: isOdd,
    exits: exits.map(({ px, atMs, why }, index) => ({
      rule: rules.exitRules[index]?.name ?? '',
      ret: returnAt(px),
      why,
      sec: why === 'held' ? null : Math.floor((atMs - signalMs) / 1000),
    })),
  }
}

function price({ virtualQuoteRaw, virtualTokenRaw }: Traded, how: OracleRules['price']): number {
  if (how === 'quotient') return Number(virtualQuoteRaw) / Number(virtualTokenRaw)
  return how === 'square' ? Number(virtualQuoteRaw) * Number(virtualQuoteRaw) : Number(virtualQuoteRaw)
}

function exitOf(rule: OracleExitRule, path: Path, rules: OracleRules): Exit {
  const { points, endMs, completedAtMs } = path
  const isEarly = rules.isTimeUpAtItsInstant
  for (const [index, point] of points.entries()) {
    if (index === 0) continue
    const timed = timedExit(rule, points.slice(0, index), { untilMs: point.atMs, isEarly })
    const exit = timed ?? exitAt(rule, points.slice(0, index + 1), rules)
    if (exit !== null) return exit
  }
  // At the end an instant has run out, at completion it has not.
  const timed = timedExit(rule, points, { untilMs: completedAtMs ?? endMs + 1, isEarly })
  if (timed !== null) return timed
  const { px } = points.at(-1) as Point
  return completedAtMs === null ? { px, atMs: endMs, why: 'held' } : { px, atMs: completedAtMs, why: 'graduated' }
}

/** The exit at the last of the points. */
function exitAt(rule: OracleExitRule, sofar: readonly Point[], { stop, isStopFirst }: OracleRules): Exit | null {
  const { px, atMs } = sofar.at(-1) as Point
  const stopped: Exit | null = px <= stop * (sofar[0] as Point).px ? { px, atMs, why: 'stop' } : null
  const why = ownReason(rule, sofar)
  const own: Exit | null = why === null ? null : { px, atMs, why }
  return isStopFirst ? (stopped ?? own) : (own ?? stopped)
}

/** The exit by time that has run out before `untilMs`, at the last of the points before it. */
function timedExit(
  rule: OracleExitRule,
  before: readonly Point[],
  { untilMs, isEarly }: Readonly<{ untilMs: number; isEarly: boolean }>,
): Exit | null {
  const signalMs = (before[0] as Point).atMs
  const high = Math.max(...before.map(({ px }) => px))
  const highMs = (before.find(({ px }) => px === high) as Point).atMs
  const atMs =
    rule.stallMs === undefined ? signalMs + (rule.afterMs ?? Number.POSITIVE_INFINITY) : highMs + rule.stallMs
  if (isEarly ? atMs > untilMs : atMs >= untilMs) return null
  return { px: (before.at(-1) as Point).px, atMs, why: rule.stallMs === undefined ? 'time' : 'burst_stall' }
}

function ownReason(rule: OracleExitRule, sofar: readonly Point[]): Reason | null {
  const { px } = sofar.at(-1) as Point
  const signalPx = (sofar[0] as Point).px
  if (rule.gain !== undefined && px >= rule.gain * signalPx) return 'take_profit'
  if (rule.trail !== undefined && px <= rule.trail * Math.max(...sofar.map((point) => point.px))) return 'trail'
  if (rule.fadeLamports === undefined) return null
  let [net, mark] = [0n, 0n]
  for (const { lamports } of sofar) {
    net += lamports
    if (net > mark) mark = net
  }
  return mark - net >= rule.fadeLamports ? 'burst_fade' : null
}
