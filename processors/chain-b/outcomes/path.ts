/** Follows the price after a signal. Each exit rule (a rule for when to sell) is applied to this price. */
import type { ChainBNumbers } from '../../../schemas/chain-b/numbers.ts'
import type { EpochMs } from '../../../schemas/units.ts'
import {
  type ExitRule,
  exitRulesOf,
  leaveAtTrade,
  leaveInTime,
  movePrice,
  type PricePath,
  pathFrom,
  type Track,
} from '../../exits.ts'

type CurvePath = PricePath & { netLamports: number; netHighLamports: number }

/**
 * The price after a signal, and the sale under each exit rule. When the curve is completed, each rule that
 * still holds sells for the reason `graduated`.
 */
export type CurveTrack = Track<CurvePath, 'graduated'>

/** The rules that score a track. */
export type TrackRules = Readonly<{ exitRules: readonly ExitRule<CurvePath>[]; stopRatio: number; costRatio: number }>

export const curveExitRulesOf = (exits: ChainBNumbers['outcomes']['exits']): readonly ExitRule<CurvePath>[] =>
  exitRulesOf(exits, ({ fadeLamports }) =>
    fadeLamports === undefined ? null : (path) => path.netHighLamports - path.netLamports >= fadeLamports,
  )

export type PricedTrade = Readonly<{ atMs: EpochMs; px: number; lamports: number }>

export const openTrack = (signalAtMs: EpochMs, signalPx: number, { exitRules }: TrackRules): CurveTrack => ({
  path: { netLamports: 0, netHighLamports: 0, ...pathFrom(signalAtMs, signalPx) },
  exits: exitRules.map(() => null),
})

/**
 * Takes in a trade. First, exit rules whose time limit has expired sell at the price before the trade. Then
 * the price changes, and the other exit conditions are checked.
 */
export function followTrade(track: CurveTrack, trade: PricedTrade, rules: TrackRules): void {
  const { path } = track
  leaveInTime(track, trade.atMs, rules)
  movePrice(path, trade)
  path.netLamports += trade.lamports
  if (path.netLamports > path.netHighLamports) path.netHighLamports = path.netLamports
  leaveAtTrade(track, trade.atMs, rules)
}

/**
 * Sells at the last price under each exit rule that still holds. Call this function when the curve is
 * complete.
 */
export function leaveAtCompletion({ path, exits }: CurveTrack, atMs: EpochMs, { exitRules }: TrackRules): void {
  for (const index of exitRules.keys()) exits[index] ??= { px: path.lastPx, atMs, why: 'graduated' }
}
