/** The outcome of a burst: the prices of the curve after its signal, until the curve is complete or for 20 minutes. */
import { isStandardCurve, priceSol } from '../../../schemas/chain-b/curve.ts'
import type { BurstOutcome } from '../../../schemas/chain-b/derived.ts'
import type { CurveTraded } from '../../../schemas/chain-b/facts.ts'
import { lamportsPerSol } from '../../../schemas/chain-b/units.ts'
import { exitsOf, followTrade, leaveAtCompletion, leaveInTime, openTrack, returnAt, type Track } from './path.ts'

export const outcomeMs = 20 * 60_000

/** Without its place and its fees. */
type Traded = Omit<CurveTraded, 'trader' | 'feeRaw' | 'creatorFeeRaw' | 'rewardsRaw' | 'blockHash' | 'txHash'>

/**
 * A burst that is followed, on both ways to price it: one trade of a non-standard curve, even the last one, changes the way
 * for all of them. `squares` is null from then on.
 */
export type Watch = { readonly atMs: number; squares: Track | null; readonly quotients: Track }

export const endOf = ({ atMs }: Pick<Watch, 'atMs'>): number => atMs + outcomeMs

export const virtualSolOf = ({ virtualQuoteRaw }: Pick<CurveTraded, 'virtualQuoteRaw'>): number =>
  Number(virtualQuoteRaw) / lamportsPerSol

const squareOf = (trade: Traded): number => virtualSolOf(trade) ** 2
const quotientOf = ({ virtualQuoteRaw: quoteRaw, virtualTokenRaw: tokenRaw }: Traded): number =>
  priceSol({ quoteRaw, tokenRaw })

/** `signalTrades` are those of the signal slot. The last one gives the signal price. */
export function openWatch(atMs: number, signalTrades: readonly Traded[], last: Traded): Watch {
  const squares = signalTrades.every(isStandardCurve) ? openTrack(atMs, squareOf(last)) : null
  return { atMs, squares, quotients: openTrack(atMs, quotientOf(last)) }
}

/** A trade of a slot after the signal slot; trades come in chain order. */
export function followWatch(watch: Watch, trade: Traded): void {
  if (watch.squares !== null && !isStandardCurve(trade)) watch.squares = null
  const { blockAtMs: atMs } = trade
  const lamports = Number(trade.quoteRaw)
  followTrade(watch.quotients, { atMs, px: quotientOf(trade), lamports })
  if (watch.squares !== null) followTrade(watch.squares, { atMs, px: squareOf(trade), lamports })
}

/**
 * After all trades that count. `completedAtMs` is null if 20 minutes have passed. A time limit at exactly their end has run
 * out; one at the very instant of completion has not.
 */
export function scoreWatch({ atMs, squares, quotients }: Watch, completedAtMs: number | null): BurstOutcome {
  const track = squares ?? quotients
  leaveInTime(track, completedAtMs ?? endOf({ atMs }) + 1)
  if (completedAtMs !== null) leaveAtCompletion(track, completedAtMs)
  const { path } = track
  const lastRet = returnAt(path.lastPx, path)
  const exits = exitsOf(track)
  return {
    atMs,
    completedAtMs,
    peakRet: returnAt(path.highPx, path),
    gradRet: completedAtMs === null ? null : lastRet,
    ret20m: completedAtMs === null ? lastRet : null,
    ruleRet: exits[0]?.ret ?? lastRet,
    isNonStandardCurve: squares === null,
    exits,
  }
}
