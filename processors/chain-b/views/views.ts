/** The facts that the stage of chain B reads in place, which are nearly all of its log. */
import { CurveTradeView } from './curve-trade-view.ts'
import { PoolTradeView } from './pool-trade-view.ts'

export const chainBViews = { CurveTraded: CurveTradeView, PoolTraded: PoolTradeView } as const
