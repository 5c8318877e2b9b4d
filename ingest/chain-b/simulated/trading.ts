import type { Random } from '../../simulated/random.ts'
import { type Amounts, type Curve, draftOfTrade, feesOf, isComplete, trade } from './curve.ts'
import type { Draft } from './draft.ts'
import type { Identities } from './identities.ts'

/** A curve, the wallets that trade on it, and the source of random numbers for its trades. */
export type Trading = Readonly<{ curve: Curve; identities: Identities; random: Random }>

/** Executes a trade of the wallet and returns its fact. */
export function tradeOnCurve({ curve, identities }: Omit<Trading, 'random'>, wallet: number, amounts: Amounts): Draft {
  trade(curve, wallet, amounts)
  return draftOfTrade(curve, identities.walletAt(wallet), { ...amounts, ...feesOf(curve, amounts) })
}

/** Returns the facts of a transaction with a buy. Adds CurveCompleted if the buy leaves no token for sale. */
export function completing(curve: Curve, drafts: readonly Draft[]): readonly Draft[] {
  return isComplete(curve) ? [...drafts, { type: 'CurveCompleted', data: {} }] : drafts
}
