/**
 * Computes the outcome of a burst from the prices of the curve after the signal, until the curve is complete
 * or the time is over.
 */
import assert from 'node:assert/strict'
import { isStandardCurve, priceSol } from '../../../schemas/chain-b/curve.ts'
import type { BurstOutcome } from '../../../schemas/chain-b/derived.ts'
import type { CurveTraded } from '../../../schemas/chain-b/facts.ts'
import type { ChainBNumbers } from '../../../schemas/chain-b/numbers.ts'
import { lamportsPerSol } from '../../../schemas/chain-b/units.ts'
import type { DurationMs, EpochMs } from '../../../schemas/units.ts'
import { exitsOf, leaveInTime, returnAt } from '../../exits.ts'
import {
  type CurveTrack,
  curveExitRulesOf,
  followTrade,
  leaveAtCompletion,
  openTrack,
  type TrackRules,
} from './path.ts'

/** The rules by which outcomes are computed, with functions for the exit rules (rules for when to sell). */
export type Scoring = TrackRules & Readonly<{ lengthMs: DurationMs }>

export const scoringOf = ({ exits, ...rules }: ChainBNumbers['outcomes']): Scoring => ({
  ...rules,
  exitRules: curveExitRulesOf(exits),
})

/** The fields of a trade from which an outcome is computed. */
type Traded = Omit<CurveTraded, 'trader' | 'feeRaw' | 'creatorFeeRaw' | 'rewardsRaw' | 'blockHash' | 'txHash'>

/**
 * A burst whose price is followed. The price is computed in two ways: as the square of the virtual SOL, and
 * as the quotient of the reserves. Squares are valid only on a standard curve. After a trade of a
 * non-standard curve, `squares` is null and the whole outcome uses quotients.
 */
export type Watch = { readonly atMs: EpochMs; squares: CurveTrack | null; readonly quotients: CurveTrack }

export const endOf = ({ atMs }: Pick<Watch, 'atMs'>, { lengthMs }: Scoring): EpochMs => atMs + lengthMs

export const virtualSolOf = ({ virtualQuoteRaw }: Pick<CurveTraded, 'virtualQuoteRaw'>): number =>
  Number(virtualQuoteRaw) / lamportsPerSol

const squareOf = (trade: Traded): number => virtualSolOf(trade) ** 2
const quotientOf = ({ virtualQuoteRaw: quoteRaw, virtualTokenRaw: tokenRaw }: Traded): number =>
  priceSol({ quoteRaw, tokenRaw })

/** `last` is the last trade of the slot in which the burst fired. It gives the first price. */
type Opening = Readonly<{ last: Traded; scoring: Scoring }>

export function openWatch(atMs: EpochMs, signalTrades: readonly Traded[], { last, scoring }: Opening): Watch {
  const squares = signalTrades.every(isStandardCurve) ? openTrack(atMs, squareOf(last), scoring) : null
  return { atMs, squares, quotients: openTrack(atMs, quotientOf(last), scoring) }
}

/** Takes in a trade of a slot after the slot of the signal. Trades must come in chain order. */
export function followWatch(watch: Watch, trade: Traded, scoring: Scoring): void {
  if (watch.squares !== null && !isStandardCurve(trade)) watch.squares = null
  const { blockAtMs: atMs } = trade
  const lamports = Number(trade.quoteRaw)
  followTrade(watch.quotients, { atMs, px: quotientOf(trade), lamports }, scoring)
  if (watch.squares !== null) followTrade(watch.squares, { atMs, px: squareOf(trade), lamports }, scoring)
}

/**
 * Computes the outcome. Call this function after the last trade of the window. `completedAtMs` is null if the
 * curve was not completed in the window. A time limit that ends with the window has then expired. A time
 * limit that ends at the completion has not.
 */
export function scoreWatch(
  { atMs, squares, quotients }: Watch,
  completedAtMs: EpochMs | null,
  scoring: Scoring,
): BurstOutcome {
  const track = squares ?? quotients
  leaveInTime(track, completedAtMs ?? endOf({ atMs }, scoring) + 1, scoring)
  if (completedAtMs !== null) leaveAtCompletion(track, completedAtMs, scoring)
  const { path } = track
  const lastRet = returnAt(path.lastPx, path, scoring)
  const exits = exitsOf(track, scoring)
  const [live] = exits
  assert(live !== undefined, 'a burst must be scored under at least one exit rule')
  return {
    atMs,
    completedAtMs,
    peakRet: returnAt(path.highPx, path, scoring),
    gradRet: completedAtMs === null ? null : lastRet,
    ret20m: completedAtMs === null ? lastRet : null,
    ruleRet: live.ret,
    isNonStandardCurve: squares === null,
    exits,
  }
}
