/** What became of a burst: each exit rule walks alone through the trades that count. */
import type { OracleBurst } from './bursts.ts'
import { type CurveTrade, type Known, type MintStory, tickAfter, tickOfSlot } from './known.ts'
import type { Rules } from './rules.ts'

type OracleExit = Readonly<{ ret: number; why: string; sec: number | null }>

export type OracleOutcome = Readonly<{
  scoredAt: number
  graduated: boolean
  gradMin: number | null
  peakRet: number
  gradRet: number | null
  ret20m: number | null
  nonStandardCurve: boolean
  /** In the order of the rules in words; the first is the live one. */
  exits: readonly (readonly [name: string, exit: OracleExit])[]
}>

type Scored = Readonly<{
  atMs: number
  p0: number
  trades: readonly (Readonly<{ px: number }> & CurveTrade)[]
  /** Null: the curve was not complete in time. */
  completedAtMs: number | null
}>

/** Null: not known yet. */
export function outcomeOf(
  known: Known,
  { story, burst }: Readonly<{ story: MintStory; burst: OracleBurst }>,
  rules: Rules,
): OracleOutcome | null {
  const { atMs, slot, signalTrade } = burst
  const { completion } = story
  const counts = (otherAtMs: number) => rules.isInOutcome(otherAtMs - atMs, rules.scoredAfterMs)
  const isGraduated = completion !== null && counts(completion.atMs)
  const tick = isGraduated ? tickOfSlot(known, completion.slot) : tickAfter(known, atMs + rules.scoredAfterMs)
  if (tick === null) return null
  const after = story.trades.filter(({ blockNumber, blockAtMs }) => blockNumber > slot && counts(blockAtMs))
  const inSignalSlot = story.trades.filter(({ blockNumber }) => blockNumber === slot)
  const nonStandardCurve = [...inSignalSlot, ...after].some((trade) => !isStandard(trade))
  const priceOf = nonStandardCurve ? quotient : rules.standardPrice
  const p0 = priceOf(signalTrade)
  const trades = after.map((trade) => ({ ...trade, px: priceOf(trade) }))
  const retOf = (px: number) => px / p0 - 1 - rules.cost
  const lastRet = retOf(trades.at(-1)?.px ?? p0)
  const scored: Scored = { atMs, p0, trades, completedAtMs: isGraduated ? completion.atMs : null }
  return {
    scoredAt: tick.knownAtMs,
    graduated: isGraduated,
    gradMin: isGraduated ? (completion.atMs - atMs) / 60_000 : null,
    peakRet: retOf(Math.max(p0, ...trades.map(({ px }) => px))),
    gradRet: isGraduated ? lastRet : null,
    ret20m: isGraduated ? null : lastRet,
    nonStandardCurve,
    exits: exitRules(rules).map(({ name, ...rule }) => [name, exitOf(scored, rule, rules)]),
  }
}

const quotient = ({ virtualQuoteRaw, virtualTokenRaw }: CurveTrade): number =>
  Number(virtualQuoteRaw) / Number(virtualTokenRaw)

const launchSol = 30_000_000_000n
const launchTokens = 1_073_000_000_000_000n
const neverSold = 279_900_000_000_000n
const product = launchSol * launchTokens

/** The curve that every launch against SOL begins with; rounding adds less than a millionth to its product. */
function isStandard({ quoteMint, isMayhem, ...state }: CurveTrade): boolean {
  if (quoteMint !== null || isMayhem) return false
  const { virtualQuoteRaw, virtualTokenRaw, realQuoteRaw, realTokenRaw } = state
  if (virtualQuoteRaw - realQuoteRaw !== launchSol || virtualTokenRaw - realTokenRaw !== neverSold) return false
  const now = virtualQuoteRaw * virtualTokenRaw
  return now >= product && (now - product) * 1_000_000n <= product
}

/** Where a rule stands after a trade, that trade included. */
type Standing = Readonly<{ px: number; p0: number; high: number; netLamports: bigint; netHigh: bigint }>

type ExitRule = Readonly<{
  name: string
  why: string
  leaves: (standing: Standing) => boolean
  /** The instant at which time runs out, by that of the last high. */
  endsAtMs: (atMs: number, highAtMs: number) => number
}>

const never = () => false
const noEnd = () => Number.POSITIVE_INFINITY

function exitRules(rules: Rules): readonly ExitRule[] {
  const fade = (name: string, lamports: bigint): ExitRule => ({
    ...{ name, why: 'burst-fade', endsAtMs: noEnd },
    leaves: ({ netLamports, netHigh }) => netHigh - netLamports >= lamports,
  })
  const profit = (name: string, factor: number): ExitRule => ({
    ...{ name, why: 'take-profit', endsAtMs: noEnd },
    leaves: ({ px, p0 }) => px >= factor * p0,
  })
  const time = (name: string, afterMs: number): ExitRule => ({
    ...{ name, why: 'time', leaves: never },
    endsAtMs: (atMs) => atMs + afterMs,
  })
  return [
    fade('live', rules.liveDropLamports),
    { name: 'hold', why: '', leaves: never, endsAtMs: noEnd },
    fade('fade-2', rules.fadeDropLamports),
    { name: 'stall', why: 'burst-stall', leaves: never, endsAtMs: (_, highAtMs) => highAtMs + rules.stallMs },
    profit('take-profit-50', rules.takeProfits[0]),
    profit('take-profit-100', rules.takeProfits[1]),
    { name: 'trail-20', why: 'trail', leaves: ({ px, high }) => px <= rules.trail * high, endsAtMs: noEnd },
    time('time-5m', rules.timesMs[0]),
    time('time-10m', rules.timesMs[1]),
  ]
}

function exitOf({ atMs, p0, trades, completedAtMs }: Scored, rule: Omit<ExitRule, 'name'>, rules: Rules): OracleExit {
  const exit = (px: number, why: string, exitAtMs: number | null): OracleExit => ({
    ret: px / p0 - 1 - rules.cost,
    why,
    sec: exitAtMs === null ? null : Math.floor((exitAtMs - atMs) / 1000),
  })
  let lastPx = p0
  let high = p0
  let highAtMs = atMs
  let netLamports = 0n
  let netHigh = 0n
  for (const { px, quoteRaw, blockAtMs } of trades) {
    const endsAtMs = rule.endsAtMs(atMs, highAtMs)
    if (endsAtMs < blockAtMs) return exit(lastPx, rule.why, endsAtMs)
    if (px > high) [high, highAtMs] = [px, blockAtMs]
    netLamports += quoteRaw
    if (netLamports > netHigh) netHigh = netLamports
    if (px <= rules.stop * p0) return exit(px, 'stop', blockAtMs)
    if (rule.leaves({ px, p0, high, netLamports, netHigh })) return exit(px, rule.why, blockAtMs)
    lastPx = px
  }
  const endsAtMs = rule.endsAtMs(atMs, highAtMs)
  if (completedAtMs !== null && endsAtMs >= completedAtMs) return exit(lastPx, 'graduated', completedAtMs)
  return endsAtMs <= atMs + rules.scoredAfterMs ? exit(lastPx, rule.why, endsAtMs) : exit(lastPx, 'held', null)
}
