import type { Random } from '../../simulated/random.ts'
import { type Amounts, type Curve, draftOfTrade, feesOf, isComplete, trade } from './curve.ts'
import type { Draft } from './draft.ts'
import type { Identities } from './identities.ts'

/** A curve, the simulated chain with its wallets, and the random numbers for the curve's trades. */
export type Trading = Readonly<{ curve: Curve; identities: Identities; random: Random }>

/** Executes a trade of the wallet and returns its record. */
export function tradeOnCurve({ curve, identities }: Omit<Trading, 'random'>, wallet: number, amounts: Amounts): Draft {
  trade(curve, wallet, amounts)
  return draftOfTrade(curve, identities.walletAt(wallet), { amounts, fees: feesOf(curve, amounts) })
}

/**
 * Returns the facts of a transaction with a buy. Adds the fact CurveCompleted if no token is left for sale
 * after the buy.
 */
export function completing(curve: Curve, drafts: readonly Draft[]): readonly Draft[] {
  return isComplete(curve) ? [...drafts, { type: 'CurveCompleted', data: {} }] : drafts
}
