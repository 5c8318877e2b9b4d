import type { Random } from '../../simulated/random.ts'
import { type Amounts, type Curve, draftOfTrade, feesOf, isComplete, trade } from './curve.ts'
import type { Draft } from './draft.ts'
import type { World } from './identities.ts'

/** A curve, who trades on it, and the chances of its traders. */
export type Trading = Readonly<{ curve: Curve; world: World; random: Random }>

/** The trade of this wallet as a fact, after it was carried out. */
export function tradeOnCurve({ curve, world }: Omit<Trading, 'random'>, wallet: number, amounts: Amounts): Draft {
  trade(curve, wallet, amounts)
  return draftOfTrade(curve, world.walletAt(wallet), { ...amounts, ...feesOf(curve, amounts) })
}

/** A buy as a transaction. The buy of the last token completes the curve. */
export function completing(curve: Curve, drafts: readonly Draft[]): readonly Draft[] {
  return isComplete(curve) ? [...drafts, { type: 'CurveCompleted', data: {} }] : drafts
}
