/** The views of chain B. Nearly all facts of its topic are of these types, and the stage reads them in place. */
import { CurveTradeView } from './curve-trade-view.ts'
import { PoolTradeView } from './pool-trade-view.ts'

export const chainBViews = { CurveTraded: CurveTradeView, PoolTraded: PoolTradeView } as const
