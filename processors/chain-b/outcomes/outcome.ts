/** The outcome of a burst: the prices of the curve after its signal, until the curve is complete or its time is over. */
import { isStandardCurve, priceSol } from '../../../schemas/chain-b/curve.ts'
import type { BurstOutcome } from '../../../schemas/chain-b/derived.ts'
import type { CurveTraded } from '../../../schemas/chain-b/facts.ts'
import type { ChainBNumbers } from '../../../schemas/chain-b/numbers.ts'
import { lamportsPerSol } from '../../../schemas/chain-b/units.ts'
import { exitsOf, leaveInTime, returnAt } from '../../exits.ts'
import {
  type CurveTrack,
  curveExitRulesOf,
  followTrade,
  leaveAtCompletion,
  openTrack,
  type TrackRules,
} from './path.ts'

/** How bursts are scored. */
export type Scoring = TrackRules & Readonly<{ lengthMs: number }>

export const scoringOf = ({ exits, ...rules }: ChainBNumbers['outcomes']): Scoring => ({
  ...rules,
  exitRules: curveExitRulesOf(exits),
})

/** Without its place and its fees. */
type Traded = Omit<CurveTraded, 'trader' | 'feeRaw' | 'creatorFeeRaw' | 'rewardsRaw' | 'blockHash' | 'txHash'>

/**
 * A burst that is followed, on both ways to price it: one trade of a non-standard curve, even the last one, changes the way
 * for all of them. `squares` is null from then on.
 */
export type Watch = { readonly atMs: number; squares: CurveTrack | null; readonly quotients: CurveTrack }

export const endOf = ({ atMs }: Pick<Watch, 'atMs'>, { lengthMs }: Scoring): number => atMs + lengthMs

export const virtualSolOf = ({ virtualQuoteRaw }: Pick<CurveTraded, 'virtualQuoteRaw'>): number =>
  Number(virtualQuoteRaw) / lamportsPerSol

const squareOf = (trade: Traded): number => virtualSolOf(trade) ** 2
const quotientOf = ({ virtualQuoteRaw: quoteRaw, virtualTokenRaw: tokenRaw }: Traded): number =>
  priceSol({ quoteRaw, tokenRaw })

/** `signalTrades` are those of the signal slot. The last one gives the signal price. */
type Opening = Readonly<{ last: Traded; scoring: Scoring }>

export function openWatch(atMs: number, signalTrades: readonly Traded[], { last, scoring }: Opening): Watch {
  const squares = signalTrades.every(isStandardCurve) ? openTrack(atMs, squareOf(last), scoring) : null
  return { atMs, squares, quotients: openTrack(atMs, quotientOf(last), scoring) }
}

/** A trade of a slot after the signal slot; trades come in chain order. */
export function followWatch(watch: Watch, trade: Traded, scoring: Scoring): void {
  if (watch.squares !== null && !isStandardCurve(trade)) watch.squares = null
  const { blockAtMs: atMs } = trade
  const lamports = Number(trade.quoteRaw)
  followTrade(watch.quotients, { atMs, px: quotientOf(trade), lamports }, scoring)
  if (watch.squares !== null) followTrade(watch.squares, { atMs, px: squareOf(trade), lamports }, scoring)
}

/**
 * After all trades that count. `completedAtMs` is null if the time is over. A time limit at exactly their end has run
 * out; one at the very instant of completion has not.
 */
export function scoreWatch(
  { atMs, squares, quotients }: Watch,
  completedAtMs: number | null,
  scoring: Scoring,
): BurstOutcome {
  const track = squares ?? quotients
  leaveInTime(track, completedAtMs ?? endOf({ atMs }, scoring) + 1, scoring)
  if (completedAtMs !== null) leaveAtCompletion(track, completedAtMs, scoring)
  const { path } = track
  const lastRet = returnAt(path.lastPx, path, scoring)
  const exits = exitsOf(track, scoring)
  return {
    atMs,
    completedAtMs,
    peakRet: returnAt(path.highPx, path, scoring),
    gradRet: completedAtMs === null ? null : lastRet,
    ret20m: completedAtMs === null ? lastRet : null,
    ruleRet: exits[0]?.ret ?? lastRet,
    isNonStandardCurve: squares === null,
    exits,
  }
}
