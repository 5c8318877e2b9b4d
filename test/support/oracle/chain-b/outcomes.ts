/** Computes the outcome of a burst. Each exit rule is applied separately to the trades that count. */
import type { CurveTraded } from '../../../../schemas/chain-b/facts.ts'
import type { OracleBurst } from './bursts.ts'
import type { ExitRule, Rules } from './rules.ts'
import type { MintStory } from './stories.ts'

type Reason = 'burst_fade' | 'burst_stall' | 'take_profit' | 'trail' | 'time' | 'stop' | 'graduated' | 'held'
type OracleExit = Readonly<{ rule: string; ret: number; why: Reason; sec: number | null }>

export type OracleOutcome = Readonly<{
  /** The completion of the curve. Null: the curve was not complete before the end of the outcome. */
  completion: MintStory['completion']
  peakRet: number
  lastRet: number
  isNonStandardCurve: boolean
  /**
   * The exits by rule. The first exit is that of the rule `live`, which the service shows as its own result.
   */
  exits: readonly OracleExit[]
}>

type Scored = Readonly<{
  atMs: number
  p0: number
  trades: readonly (Readonly<{ px: number }> & CurveTraded)[]
  completedAtMs: number | null
}>

/** Null: not known yet. */
export function outcomeOf(
  story: MintStory,
  { atMs, slot, signalTrade }: OracleBurst,
  rules: Rules,
): OracleOutcome | null {
  const counts = (otherAtMs: number) => rules.isInOutcome(otherAtMs - atMs, rules.outcomeMs)
  const isCompleted = rules.completionEnds && story.completion !== null && counts(story.completion.atMs)
  if (!isCompleted && atMs + rules.outcomeMs >= story.untilMs) return null
  const completion = isCompleted ? story.completion : null
  const after = story.trades.filter(({ blockNumber, blockAtMs }) => blockNumber > slot && counts(blockAtMs))
  const inSignalSlot = story.trades.filter(({ blockNumber }) => blockNumber === slot)
  const seen = rules.oneOddTradeIsEnough ? [...inSignalSlot, ...after] : inSignalSlot
  const isNonStandardCurve = seen.some((trade) => !isStandard(trade))
  const priceOf = isNonStandardCurve ? quotient : rules.standardPrice
  const p0 = priceOf(signalTrade)
  const trades = after.map((trade) => ({ ...trade, px: priceOf(trade) }))
  const retOf = (px: number) => px / p0 - 1 - rules.costs
  const scored: Scored = { atMs, p0, trades, completedAtMs: completion?.atMs ?? null }
  return {
    completion,
    peakRet: retOf(Math.max(p0, ...trades.map(({ px }) => px))),
    lastRet: retOf(trades.at(-1)?.px ?? p0),
    isNonStandardCurve,
    exits: rules.exitRules.map((rule) => exitOf(scored, rule, rules)),
  }
}

const quotient = ({ virtualQuoteRaw, virtualTokenRaw }: CurveTraded): number =>
  Number(virtualQuoteRaw) / Number(virtualTokenRaw)

const launchSol = 30_000_000_000n
const launchTokens = 1_073_000_000_000_000n
const neverSold = 279_900_000_000_000n
const product = launchSol * launchTokens

/**
 * Returns true if the curve has the reserves of a launch against SOL. The product of the reserves may be too
 * large by less than a millionth, because of rounding.
 */
function isStandard({ quoteMint, isMayhem, ...state }: CurveTraded): boolean {
  if (quoteMint !== null || isMayhem) return false
  const { virtualQuoteRaw, virtualTokenRaw, realQuoteRaw, realTokenRaw } = state
  if (virtualQuoteRaw - realQuoteRaw !== launchSol || virtualTokenRaw - realTokenRaw !== neverSold) return false
  const now = virtualQuoteRaw * virtualTokenRaw
  return now >= product && (now - product) * 1_000_000n <= product
}

/** The values after a trade from which an exit rule decides. */
type Standing = Readonly<{ px: number; p0: number; high: number; netLamports: bigint; netHigh: bigint }>

/** Null: the rule does not exit. */
function reasonOf(rule: ExitRule, standing: Standing, { stop, isStopFirst }: Rules): Reason | null {
  const stopped = standing.px <= stop * standing.p0 ? 'stop' : null
  const own = ownReasonOf(rule, standing)
  return isStopFirst ? (stopped ?? own) : (own ?? stopped)
}

function ownReasonOf({ gain, trail, fadeLamports }: ExitRule, standing: Standing): Reason | null {
  const { px, p0, high, netLamports, netHigh } = standing
  if (gain !== undefined && px >= gain * p0) return 'take_profit'
  if (trail !== undefined && px <= trail * high) return 'trail'
  return fadeLamports !== undefined && netHigh - netLamports >= fadeLamports ? 'burst_fade' : null
}

function exitOf({ atMs, p0, trades, completedAtMs }: Scored, rule: ExitRule, rules: Rules): OracleExit {
  const exit = (px: number, why: Reason, exitAtMs: number | null): OracleExit => ({
    ...{ rule: rule.name, ret: px / p0 - 1 - rules.costs, why },
    sec: exitAtMs === null ? null : Math.floor((exitAtMs - atMs) / 1000),
  })
  const { stallMs, afterMs = Number.POSITIVE_INFINITY } = rule
  const timeIsUp = stallMs === undefined ? 'time' : 'burst_stall'
  let [lastPx, high, highAtMs] = [p0, p0, atMs]
  let [netLamports, netHigh] = [0n, 0n]
  /** When the rule's time is over. */
  const endMs = () => (stallMs === undefined ? atMs + afterMs : highAtMs + stallMs)
  for (const { px, quoteRaw, blockAtMs } of trades) {
    if (rules.isTimeUp(endMs(), blockAtMs)) return exit(lastPx, timeIsUp, endMs())
    if (px > high) [high, highAtMs] = [px, blockAtMs]
    netLamports += quoteRaw
    if (netLamports > netHigh) netHigh = netLamports
    const why = reasonOf(rule, { px, p0, high, netLamports, netHigh }, rules)
    if (why !== null) return exit(px, why, blockAtMs)
    lastPx = px
  }
  if (completedAtMs !== null && !rules.isTimeUp(endMs(), completedAtMs)) return exit(lastPx, 'graduated', completedAtMs)
  return endMs() <= atMs + rules.outcomeMs ? exit(lastPx, timeIsUp, endMs()) : exit(lastPx, 'held', null)
}
