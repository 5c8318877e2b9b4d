/**
 * The fact types of chain B that have a view. A view is an object that reads the fields of a fact directly
 * from the encoded bytes. Nearly all facts have one of these types.
 */
import { CurveTradeView } from './curve-trade-view.ts'
import { PoolTradeView } from './pool-trade-view.ts'

export const chainBViews = { CurveTraded: CurveTradeView, PoolTraded: PoolTradeView } as const
