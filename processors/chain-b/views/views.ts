/**
 * The views of chain B. A view reads the fields of a fact directly from the encoded bytes. Nearly all facts
 * have one of these types.
 */
import { CurveTradeView } from './curve-trade-view.ts'
import { PoolTradeView } from './pool-trade-view.ts'

export const chainBViews = { CurveTraded: CurveTradeView, PoolTraded: PoolTradeView } as const
