/** The views of chain A. Nearly all facts of its topic are of these types, and the stage reads them in place. */
import { CurveTradeView } from './curve-trade-view.ts'
import { SwapView } from './swap-view.ts'

export const chainAViews = { Swap: SwapView, CurveTraded: CurveTradeView } as const
