/** The views of chain B, for the types of nearly all its facts. The stage reads these facts in place. */
import { CurveTradeView } from './curve-trade-view.ts'
import { PoolTradeView } from './pool-trade-view.ts'

export const chainBViews = { CurveTraded: CurveTradeView, PoolTraded: PoolTradeView } as const
