/** The facts that a chain A stage reads in place: nearly all of its log. */
import { CurveTradeView } from './curve-trade-view.ts'
import { SwapView } from './swap-view.ts'

export const chainAViews = { Swap: SwapView, CurveTraded: CurveTradeView } as const
